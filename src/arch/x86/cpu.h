/* SPDX-License-Identifier: Apache-2.0
 * Guest state of a thread on x86-64 (E3) and the slots that cache code uses. Assembly uses the offsets (cpu_offsets.h;
 * state.c checks them). A part of struct thread: only that thread writes it. */
#ifndef LP_ARCH_CPU_H
#define LP_ARCH_CPU_H
#include "base/base.h"

/* Hardware numbering, as in ModRM. */
enum gpr { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, GPR_COUNT };

#define DWARF_REGS 17 /* in DWARF's numbering; the last is the pc */
#define CPU_CONSTANTS 3
#define XSAVE_MAX_BYTES 11264 /* AMX tiles included */

/* The guest's registers while an analysis routine runs (A5): what the bridge has put there. Also what a tool's CONTEXT
 * of such a call is. */
struct bridge_state {
    u64 kind;           /* CONTEXT_* (context.h) */
    u64 gpr[GPR_COUNT]; /* 8: scratch registers and rsp always, the others where a call needs them */
    u64 pc;             /* 136 */
    u64 flags;          /* 144 */
    u64 value;          /* 152: a condition or predicate, computed before flags change */
    u64 fs_base;        /* not of CONTEXT_LIVE: the thread has them */
    u64 gs_base;
    /* 176: the trap flag where it is the engine's own: taken out of flags, and put back with them */
    u64 own_step;
    u64 pad;
    u8 xsave[XSAVE_MAX_BYTES] __attribute__((aligned(64))); /* 192 */
};

/* The program is an IA-32 one: its instructions are executed as 64-bit code (transcode.c), with the upper halves of
 * registers 0. Set before the first of them is decoded. */
extern bool cpu_guest32;
/* Where its vdso makes system calls, by int $0x80; 0: it has none. */
extern gpc_t cpu_guest32_call;

struct cpu_state {
    u64 gpr[GPR_COUNT]; /* 0 */
    u64 pc;             /* 128: guest pc; for the entry routine together with `enter` */
    u64 flags;          /* 136: RFLAGS */
    u64 gs_base;        /* 144: guest GS base; the guest's FS base is in the GS base of the hardware (arch_tls_base) */
    u64 slot[8];        /* 152: spill slots of cache code: 0 rcx, 1 rax of an indirect branch; 2.. by lowering */
    u64 sysret;         /* 216: cache address to continue at after the gate's system call, 0: not in the gate (E10) */
    u64 exit_id;        /* 224: number of the exit taken, EXIT_* for the special ones */
    u64 enter;          /* 232: cache address the entry routine jumps to */
    u64 host_sp;        /* 240: host stack pointer to return to */
    u64 xsave_mask;     /* 248: XCR0 */
    u64 sysret_pc;      /* 256: guest address for vm_gate_flushed */
    u64 after_waits;    /* 264: set by the VM, cleared when the calls after an instruction begin (arch_lower_after) */
    /* 272: guest functions called from host code that have not returned (vm/call.h): cache code looks at it */
    u64 calls;
    /* 280: what the entry routine loads into the register that cache code may carry a value in (carry.h) */
    u64 enter_home;
    /* 288: address of what it loads into rsp: the guest's, or host_sp where the code it enters has that there
     * (hold.h) */
    u64 enter_sp;
    /* 296: of the trace's instructions, read from the program's code when it was entered (check.c) */
    u64 constant[CPU_CONSTANTS];
    u8 xsave[XSAVE_MAX_BYTES] __attribute__((aligned(64))); /* 320: standard format */
    struct bridge_state bridge;                             /* 11584 */
};

#define CPU_COMPARED_BYTES offsetof(struct cpu_state, flags) /* general registers and the pc come first */

/* Beside the guest's state: what lowered code and the bridge keep for a thread. */
#define THREAD_REPS_KEPT 4
#define AREAS 3 /* descriptors of set_thread_area */
struct rep_note {
    u64 pc, count, sp;
};
struct arch_thread {
    /* The REP instruction that has iterations to go, where a tool asks (IARG_FIRST_REP_ITERATION). */
    struct rep_note rep;
    struct rep_note rep_kept[THREAD_REPS_KEPT]; /* those that handlers of signals have interrupted, the latest */
    u32 nreps_kept;
    u32 moved;                   /* memory_ptr: those of the instruction that the VM carries out, as bits */
    u16 selector[2];             /* of an IA-32 program: FS and GS (emulate32.c) */
    u32 area[AREAS], area_used;  /* its descriptors of set_thread_area: bases; those that are in use, as bits */
    u64 memory_ptr[3];           /* addresses of rewritten memory operands, for calls after the instruction */
};

#endif

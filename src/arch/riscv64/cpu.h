/* SPDX-License-Identifier: Apache-2.0
 * Guest state of a thread on RISC-V 64 (E3) and the slots that cache code uses. Assembly knows the offsets by
 * cpu_offsets.h, which state.c checks. */
#ifndef LP_ARCH_CPU_H
#define LP_ARCH_CPU_H
#include "base/base.h"

/* The registers that the engine itself names. tp is the host's for the whole life of a thread; the guest's is in the
 * context. */
enum gpr { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7, T3 = 28, T4, T5, T6, GPR_COUNT };

#define DWARF_REGS 33 /* in DWARF's numbering; the last is the pc */

/* Where guest registers are while code of a tool has the register (arch_info.home), and all of them while an analysis
 * routine runs. */
struct bridge_state {
    u64 gpr[GPR_COUNT];
    u64 fpr[32];
    u64 fcsr;
    u64 pad[7];
};

struct cpu_state {
    u64 gpr[GPR_COUNT]; /* 0: [0] is always 0; the guest's tp is here also while the guest runs */
    u64 pc;             /* 256 */
    u64 slot[8];        /* 264: spill slots of cache code (lower.h) */
    u64 exit_id;        /* 328: number of the exit taken, EXIT_* for the special ones */
    u64 enter;          /* 336: cache address the entry routine jumps to */
    u64 host_sp;        /* 344: host stack pointer to return to */
    u64 sysret, sysret_pc; /* the gate (E10) is not used: always 0 */
    u64 after_waits;    /* set by the VM, cleared when the calls after an instruction begin */
    u64 calls;          /* guest functions called from host code that have not returned (vm/call.h) */
    u64 fpr[32];        /* 384 */
    u64 fcsr;           /* 640 */
    u64 pad[3];
    struct bridge_state bridge __attribute__((aligned(64)));
};

struct arch_thread {
    u64 none;
};

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that lower guest instructions. */
#ifndef LP_X86_LOWER_H
#define LP_X86_LOWER_H
#include "arch/x86/cpu.h"
#include "arch/x86/emit.h"
#include "opt/pass.h"

/* The tool's register n in the context (os/thread.h). */
#define TOOL_REG(n) ctx_disp(offsetof(struct thread, opt.tool_reg) + (size_t)(n) * 8)

#define MEMORY_PTR(n) ctx_disp(offsetof(struct thread, arch.memory_ptr) + (size_t)(n) * 8)

/* A count of indirect branches in the context. */
#define TALLY(field) ctx_disp(offsetof(struct thread, vm.tally.field))

/* `how` of map entries: where registers are in the middle of an instruction. */
enum map_how {
    HOW_SPILL = 1, /* register `data >> 4` is in slot `data & 15` */
    HOW_IB,        /* indirect branch under way: rcx and rax where emit_ib_save puts them */
    HOW_IB_RCX,    /* the same, of rcx alone */
    HOW_STACK,     /* IA-32: the stack pointer is less by data, which has a sign */
    HOW_FRAME,     /* IA-32: rbp is in r8 */
    HOW_SYSCALL,   /* rcx in slot 0 */
    HOW_SYSRET,    /* after the gate: all but rcx in place, rcx = pc */
    /* The GS base is exchanged: two registers are in slots 2 (rax) and 3 (rdx), the guest's FS base in slot 4. */
    HOW_GS,
    HOW_COUNT,     /* in an addition to a counter: data says which registers and flags are in slots */
    HOW_UNDO,      /* the registers of the mask `data` are in slots 0, 1, ..., in the order of their numbers */
    HOW_CHECK,     /* self-check prologue: rcx in slot 0, rax in slot 1 */
    /* The effect of an indirect branch is complete: rcx, rax as in HOW_IB, pc = value in rcx; data: the target's
     * version. */
    HOW_IB_DONE,
    HOW_IB_KEY,    /* the same, rcx = key of the target in that version */
    HOW_JUMP,      /* a jump of the tool's: pc = value of the register `data` (MAP_JUMP_*) */
    HOW_REP_STEP,  /* one iteration of a REP instruction was made, rcx not yet counted down: data as REP_* */
    HOW_REP_DONE,  /* the same, and rcx is counted down */
    HOWS,
};

/* Data of HOW_GS: rax is in slot 2; GS base is the guest's GS, its FS is in slot 4. */
enum { MAP_GS_RAX = 1, MAP_GS_SWAPPED = 2 };

/* data of HOW_REP_STEP, and of lower_repeat: which ZF ends the loop; the count is ecx. */
enum { REP_WHILE_ZERO = 1, REP_WHILE_NOT_ZERO = 2, REP_COUNT32 = 4 };

/* data of HOW_JUMP: a general register, or a tool register; rcx and rax are as in HOW_IB. */
enum { MAP_JUMP_TOOL = 0x20, MAP_JUMP_SLOTS = 0x100 };

/* data of HOW_COUNT: bits 0-3 register in slot 5, 4-7 register in slot 7, 8-9 how many of them; and whether flags are
 * in slot 3. */
enum { MAP_COUNT_FLAGS = 1 << 10 };

#define CARRY_HOME R11 /* compilers use it least (opt/carry.h) */
#define CARRY_HOME_BIT ((u16)(1u << CARRY_HOME))

/* The place of the guest's register in the bridge's context. */
#define HOLD_GPR(r) ctx_disp(offsetof(struct cpu_state, bridge.gpr) + (size_t)(r) * 8)

/* Assembly: where cache code leaves, all guest registers live. */
void vm_exit(void);

/* Where an indirect branch keeps the guest's rcx and rax: slots 0 and 1, or registers that are never an IA-32 program's
 * and that no analysis code uses when there is none. */
#define IB_RCX R9
#define IB_RAX R10
extern bool lower_ib_in_registers; /* since the first region was made */
static inline void emit_ib_save(struct emit *e, enum gpr r)
{
    if (lower_ib_in_registers)
        emit_move(e, r == RCX ? IB_RCX : IB_RAX, r);
    else
        emit_store_ctx(e, CTX_SLOT(r == RAX), r);
}
static inline void emit_ib_restore(struct emit *e, enum gpr r)
{
    if (lower_ib_in_registers)
        emit_move(e, r, r == RCX ? IB_RCX : IB_RAX);
    else
        emit_load_ctx(e, r, CTX_SLOT(r == RAX));
}

/* The first part of a stub, with the number of its exit (the upper half of cpu.exit_id is always 0): movl
 * $number,%fs:exit_id. */
struct stub_store {
    u8 op[4];
    s32 field;
    u32 number;
} __attribute__((packed));
static inline struct stub_store stub_store(u32 number)
{
    return (struct stub_store){{0x64, 0xc7, 0x04, 0x25}, CTX(exit_id), number};
}
/* Is it a stub's store? A jump may be the last of the region: nothing after it is looked at. */
static inline bool stub_stores(const struct stub_store *s)
{
    const struct stub_store one = stub_store(0);
    return s->op[0] == one.op[0] && !memcmp(s, &one, offsetof(struct stub_store, number));
}

/* A load from guest memory for an argument, which may fault (arch_bridge_fault): mov disp(%rax),%to, with prefixes that
 * do nothing and, in code that the state map calls MAP_CALLS, mark it. */
struct guest_load {
    u8 mark[2], rex, op, modrm;
    u32 disp;
} __attribute__((packed));
static inline struct guest_load guest_load(enum gpr to, u32 disp)
{
    u8 rex = (u8)((cpu_guest32 ? 0x40 : 0x48) | (to >> 3) << 2);
    return (struct guest_load){{0x3e, 0x3e}, rex, 0x8b, (u8)(0x80 | (to & 7) << 3), disp};
}
static inline bool is_guest_load(const struct guest_load *l)
{
    const struct guest_load one = guest_load((enum gpr)((l->rex >> 2 & 1) << 3 | (l->modrm >> 3 & 7)), l->disp);
    return !memcmp(l, &one, sizeof one);
}

#define SYSCALL_BYTES 2u /* length of the guest's instruction; the kernel goes back by as much */

/* Offsets in indirect entries, as their emitters found them; they are the same in all. For recover.c. */
struct ib_marks {
    /* arch_emit_ib_count, from its start: the way to the VM has the target in rcx; the count begins, with the target in
     * rcx, then in rax; its end. */
    u8 count_moved, count_entry, count_bytes;
    /* arch_emit_ib_entry, from its start: rcx is the difference between the target and the trace's key; rcx is the
     * guest's again. */
    u8 compared, restored;
};
extern struct ib_marks ib_marks;

void lower_plain(struct pass *b, const struct insn *in);
void lower_run(struct pass *b, const struct insn *in);
void lower_stack32(struct pass *b, const struct insn *in);
void stack32_move(struct emit *e, s32 more); /* an IA-32 program's stack pointer */
/* Begins the lowering of a push of 4 bytes by the instruction: the bytes by which those before it have not moved the
 * stack pointer yet. */
u32 stack32_begin_push(struct pass *b, const struct insn *in);
void stack32_push_constant(struct emit *e, u32 v, u32 before); /* before: what stack32_begin_push says */
/* IA-32, of an operand with wraps32: its address, with its sign, goes to a register, without flags. Returns where the
 * operand ends in the instruction. */
u8 tls32_address(struct emit *e, const struct insn *in, enum gpr to);
void lower_wraps32(struct pass *b, const struct insn *in);
void lower_bad(struct pass *b, const struct insn *in);
/* Prefixes of a loop that mean something to it. */
void lower_loop_head(struct emit *e, const struct insn *in);
/* IA-32, a loop that counts in cx, up to where it is taken, and done. Returns where the way that is not taken gets its
 * target. */
u8 *lower_narrow_loop(struct pass *b, const struct insn *in);
void lower_fsbase(struct pass *b, const struct insn *in);
void lower_emulate(struct pass *b, const struct insn *in);
bool lower_is_int80(const struct insn *in);
u8 lower_repeat_data(const struct insn *in); /* REP_* */
enum gpr lower_free_register(const struct insn *in);
u8 *lower_jmp(u8 *p, u8 **patch); /* for an exit; returns its end */
void lower_exit_jmp(struct pass *b, gpc_t target, enum exit_kind kind);
/* Parts of branch.c that rewritten transfers of control share (E7, E8). */
void lower_indirect_begin(struct pass *b, const struct insn *in);
void lower_load_target(struct pass *b, const struct insn *in);
void lower_indirect_end(struct pass *b, const struct insn *in);
void lower_push_constant(struct pass *b, u64 v);
u32 lower_ret_bytes(const struct insn *in);
void lower_exit_to_target(struct pass *b, const struct insn *in); /* a direct call's, all else done */
/* What arch_emulate does of an instruction (exit.part). */
enum emulated_part {
    PART_ALL,
    PART_FPU_SAVE,    /* it has stored x87 state: the guest's address of the last x87 instruction goes there */
    PART_FPU_SAVE_AT, /* the same, at the address in slot 7 */
    PART_MOVED = 8,   /* + a bit for each memory operand that is elsewhere (arch_thread.memory_ptr): all of it */
};
void lower_fpu_save_exit(struct pass *b, const struct insn *in, enum emulated_part part);
void lower_repeat(struct pass *b, const struct insn *in, struct ins *ins, const struct call *calls);
void lower_rewritten(struct pass *b, const struct insn *in, struct ins *ins);

#endif

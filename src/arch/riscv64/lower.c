/* SPDX-License-Identifier: Apache-2.0
 * Lowering: straight code is written as it is, in its long form; the guest's tp, which the host has, goes through
 * another register; transfers of control end in exits (E7) or the lookup (E8), system calls in the VM. Under
 * jit_lock. */
#include "arch/riscv64/lower.h"

#include "base/options.h"
#include "opt/carry.h"
#include "os/thread.h"

#define ILLEGAL 0u

/* A register that the instruction does not name. */
static u32 free_register(const struct insn *in)
{
    for (u32 r = T0;; r++)
        if (r != in->rd && r != in->rs1 && r != in->rs2)
            return r;
}

static u32 field(u32 word, u32 lo, u32 r) { return (word & ~(31u << lo)) | r << lo; }

/* The instruction with another register in place of tp. */
static u32 without_tp(const struct insn *in, u32 r)
{
    u32 w = in->word;
    if (in->rs1 == TP)
        w = field(w, 15, r);
    if (in->rs2 == TP)
        w = field(w, 20, r);
    return in->rd == TP ? field(w, 7, r) : w;
}

static bool names_tp(const struct insn *in) { return in->rd == TP || in->rs1 == TP || in->rs2 == TP; }

static void begin_tp(struct pass *b, struct emit *e, const struct insn *in, u32 r)
{
    emit_sd(e, r, TP, CTX_SLOT(SLOT_SPILL));
    pass_state(b, e->p, HOW_SPILL, in->pc, (u16)r);
    emit_ld(e, r, TP, CTX(gpr[TP]));
}

static void lower_tp(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    u32 r = free_register(in);
    begin_tp(b, &e, in, r);
    emit_word(&e, without_tp(in, r));
    if (in->rd == TP) {
        pass_state(b, e.p, HOW_TP, in->pc + in->len, (u16)r);
        emit_sd(&e, r, TP, CTX(gpr[TP]));
    }
    pass_state(b, e.p, HOW_SPILL, in->pc + in->len, (u16)r);
    emit_ld(&e, r, TP, CTX_SLOT(SLOT_SPILL));
    b->p = e.p;
}

static void lower_plain(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    if (names_tp(in)) {
        lower_tp(b, in);
        return;
    }
    emit_word(&e, in->word);
    b->map[b->nmap - 1].copied = in->len == 4;
    b->p = e.p;
}

static void lower_auipc(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    if (in->rd == TP)
        missing("auipc of tp");
    if (in->rd)
        emit_const(&e, in->rd, in->target);
    b->p = e.p;
}

static void lower_exit(struct pass *b, gpc_t target)
{
    struct emit e = {b->p};
    u8 *patch = arch_jump(&e, NULL);
    pass_add_exit(b, target, patch, EXIT_KIND_BRANCH);
    b->p = e.p;
}

/* A branch reaches only 4 KiB: so the opposite branch jumps over the exit's jump. */
static void lower_branch(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    bool tp = names_tp(in);
    u32 r = free_register(in);
    if (tp)
        begin_tp(b, &e, in, r);
    emit_word(&e, enc_b(in->cond ^ 1u, in->rs1 == TP ? r : in->rs1, in->rs2 == TP ? r : in->rs2, tp ? 12 : 8));
    if (tp) {
        pass_state(b, e.p, HOW_SPILL, in->pc, (u16)r);
        emit_ld(&e, r, TP, CTX_SLOT(SLOT_SPILL));
    }
    pass_map(b, e.p, MAP_TARGET, in->pc, (u16)b->nexits);
    b->p = e.p;
    lower_exit(b, in->target);
    e.p = b->p;
    if (tp) {
        pass_state(b, e.p, HOW_SPILL, in->pc + in->len, (u16)r);
        emit_ld(&e, r, TP, CTX_SLOT(SLOT_SPILL));
    }
    b->p = e.p;
}

static void lower_jal(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    if (in->rd == TP)
        missing("a call that links in tp");
    if (in->rd)
        emit_const(&e, in->rd, in->pc + in->len);
    b->p = e.p;
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_exit(b, in->target);
}

void emit_ibt_offset(struct emit *e, u32 to, u32 target)
{
    ASSERT(!ibt_mixes);
    emit_word(e, enc_i(OP_IMM, 1, to, target, 48)); /* slli, srli: 16 bits times 8 */
    emit_word(e, enc_i(OP_IMM, 5, to, to, 45));
}

static void emit_link(struct emit *e, const struct insn *in)
{
    if (!in->rd)
        return;
    emit_const(e, T1, in->pc + in->len);
    if (in->rd == T0 || in->rd == T1)
        emit_sd(e, T1, TP, CTX_SLOT(in->rd == T0 ? SLOT_T0 : SLOT_T1));
    else if (in->rd == TP)
        emit_sd(e, T1, TP, CTX(gpr[TP]));
    else
        emit_addi(e, in->rd, T1, 0);
}

/* Counts an indirect branch by its kind; t0 and t1 are free. */
static void count_indirect(struct emit *e, const struct insn *in)
{
    enum indirect_kind k = insn_is_return(in) ? INDIRECT_RETURN : insn_is_call(in) ? INDIRECT_CALL : INDIRECT_JUMP;
    emit_const(e, T0, k);
    emit_far_field(e, T1, offsetof(struct thread, vm.tally.kind));
    emit_sd(e, T0, T1, 0);
    emit_far_field(e, T1, offsetof(struct thread, vm.tally.executed[k]));
    emit_ld(e, T0, T1, 0);
    emit_addi(e, T0, T0, 1);
    emit_sd(e, T0, T1, 0);
}

/* The target is computed before the link register is written: they may be the same. */
static void lower_jalr(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    if (b->target_version)
        missing("versions of traces");
    emit_sd(&e, T0, TP, CTX_SLOT(SLOT_T0));
    emit_sd(&e, T1, TP, CTX_SLOT(SLOT_T1));
    pass_state(b, e.p, HOW_IB, in->pc, 0);
    if (in->rs1 == TP)
        emit_ld(&e, T0, TP, CTX(gpr[TP]));
    emit_addi(&e, T0, in->rs1 == TP ? T0 : in->rs1, in->imm);
    emit_word(&e, enc_i(OP_IMM, 7, T0, T0, -2));
    emit_link(&e, in);
    pass_state(b, e.p, HOW_IB_DONE, in->pc, 0);
    emit_sd(&e, T0, TP, CTX_SLOT(SLOT_TARGET));
    pass_state(b, e.p, HOW_IB_KEPT, in->pc, 0);
    if (UNLIKELY(options.stats)) {
        count_indirect(&e, in);
        emit_ld(&e, T0, TP, CTX_SLOT(SLOT_TARGET));
    }
    emit_ibt_offset(&e, T0, T0);
    emit_word(&e, enc_u(OP_LUI, T1, (u32)(u64)ibt));
    emit_add(&e, T1, T1, T0);
    emit_ld(&e, T0, TP, CTX_SLOT(SLOT_TARGET));
    emit_ld(&e, T1, T1, 0);
    emit_jr(&e, T1);
    b->p = e.p;
}

/* All system calls go to the VM. a0, which the result overwrites, is kept for a restart. */
static void lower_ecall(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    emit_sd(&e, A0, TP, CTX_SLOT(SLOT_A0));
    emit_sd(&e, T0, TP, CTX_SLOT(SLOT_T0));
    pass_state(b, e.p, HOW_T0, in->pc, 0);
    emit_const(&e, T0, in->pc + in->len);
    emit_sd(&e, T0, TP, CTX(pc));
    emit_const(&e, T0, EXIT_SYSCALL);
    b->map[b->nmap - 1].waits = true;
    emit_jump(&e, b->region->exit_routine);
    b->p = e.p;
}

static void lower_bad(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    bool illegal = !in->word || in->word == ~0u || (in->word & 0xffff) == 0;
    if (!illegal)
        die(1, "RISC-V 64: the instruction %x at 0x%lx is not known to this port", in->word, in->pc);
    emit_word(&e, ILLEGAL);
    b->p = e.p;
}

void arch_lower_insn(struct pass *b, const struct insn *in, enum arch_lowering how)
{
    if (how != LOWER_AS_IS)
        missing("calls after an instruction or on a taken branch, or rewritten operands");
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    switch ((enum insn_class)in->cls) {
    case INSN_PLAIN: lower_plain(b, in); break;
    case INSN_AUIPC: lower_auipc(b, in); break;
    case INSN_BRANCH: lower_branch(b, in); break;
    case INSN_JAL: lower_jal(b, in); break;
    case INSN_JALR: lower_jalr(b, in); break;
    case INSN_ECALL: lower_ecall(b, in); break;
    case INSN_BAD: lower_bad(b, in); break;
    }
}

void arch_lower_begin(struct pass *b)
{
    struct emit e = {b->p};
    carry_begin(b);
    if (carry_id)
        missing("trace buffers");
    if (versions_used)
        missing("versions of traces");
    if (b->checked)
        missing("code in pages that are written too often, or in shared mappings (E16)");
    pass_state(b, e.p, HOW_T0, b->pc, 0);
    emit_word(&e, emit_body_word());
    b->p = e.p;
}

void arch_lower_fall_through(struct pass *b, gpc_t next)
{
    pass_map(b, b->p, MAP_GUEST, next, 0);
    lower_exit(b, next);
}

void arch_lower_end(struct pass *b) { (void)b; }

/* --- what is asked of an instruction ------------------------------------------------------------------------------ */
/* The kernel says that it was at ebreak, and nothing repeats or is stepped. */
bool arch_insn_is(const struct insn *in, enum arch_nature what)
{
    return what == NATURE_NEEDS_VM && in->cls == INSN_ECALL;
}

bool arch_insn_is_privileged(u64 pc) { return (void)pc, false; } /* such an instruction is an illegal one */

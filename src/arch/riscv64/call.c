/* SPDX-License-Identifier: Apache-2.0
 * Analysis calls before an instruction, with arguments that are known when the trace is made: all of the guest's
 * registers go to the context, the routine runs on the host's stack, and all of them come back. Under jit_lock. */
#include "arch/riscv64/lower.h"

#include "linchpin/iarg.h"
#include "opt/objects.h"
#include "os/thread.h"

#define ARGUMENTS 8

#define BRIDGE(field) ctx_disp(offsetof(struct cpu_state, bridge.field))

static void emit_all(struct emit *e, bool save)
{
    for (u32 r = RA; r < GPR_COUNT; r++)
        if (r != TP)
            emit_word(e, save ? enc_sd(r, TP, BRIDGE(gpr) + (s32)r * 8) : enc_ld(r, TP, BRIDGE(gpr) + (s32)r * 8));
}

static void emit_fp(struct emit *e, bool save)
{
    for (u32 r = 0; r < 32; r++)
        emit_word(e, save ? enc_s(OP_STORE_FP, 3, TP, r, BRIDGE(fpr) + (s32)r * 8)
                          : enc_i(OP_LOAD_FP, 3, r, TP, BRIDGE(fpr) + (s32)r * 8));
}

/* t0 is free. */
static void emit_fcsr(struct emit *e, bool save)
{
    if (save) {
        emit_word(e, enc_i(OP_SYSTEM, 2, T0, ZERO, 3)); /* frcsr */
        emit_sd(e, T0, TP, BRIDGE(fcsr));
        emit_word(e, enc_i(OP_SYSTEM, 1, ZERO, ZERO, 3)); /* fscsr zero */
    } else {
        emit_ld(e, T0, TP, BRIDGE(fcsr));
        emit_word(e, enc_i(OP_SYSTEM, 1, ZERO, T0, 3));
    }
}

static u64 argument(const struct insn *in, const struct call_arg *a)
{
    switch (a->iarg) {
    case IARG_ADDRINT:
    case IARG_PTR:
    case IARG_UINT64: return a->value;
    case IARG_BOOL:
    case IARG_UINT32: return (u32)a->value;
    case IARG_INST_PTR: return in->pc;
    case IARG_FALLTHROUGH_ADDR: return in->pc + in->len;
    default: missing("an analysis call with an argument that is known only when it runs");
    }
}

static void emit_call(struct emit *e, const struct insn *in, const struct call *c)
{
    if (c->kind != CALL_PLAIN || c->return_reg || c->nargs > ARGUMENTS || c->fill)
        missing("an analysis call with a condition, a result, many arguments or a record");
    for (u32 i = 0; i < c->nargs; i++)
        emit_const(e, A0 + i, argument(in, &c->arg[i]));
    emit_const(e, T0, (u64)c->fn);
    emit_word(e, enc_i(OP_JALR, 0, RA, T0, 0));
}

/* Has a signal come while calls were made, where it had to wait? Then it goes before these ones. */
static void look(struct pass *b, struct emit *e, const struct insn *in)
{
    pass_map(b, e->p, MAP_GUEST, in->pc, 0);
    emit_sd(e, T0, TP, CTX_SLOT(SLOT_SPILL));
    pass_state(b, e->p, HOW_SPILL, in->pc, T0);
    emit_far_field(e, T0, offsetof(struct thread, os.pending));
    emit_word(e, enc_i(OP_LOAD, 4, T0, T0, 0)); /* lbu */
    emit_word(e, enc_b(BEQ, T0, ZERO, 12));
    emit_ld(e, T0, TP, CTX_SLOT(SLOT_SPILL));
    pass_add_exit(b, in->pc, arch_jump(e, NULL), EXIT_KIND_STEP);
    emit_ld(e, T0, TP, CTX_SLOT(SLOT_SPILL));
}

void arch_lower_calls(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list,
                      enum bridge_place place, gpc_t pc)
{
    struct emit e = {b->p};
    (void)ins;
    if (place != BRIDGE_BEFORE)
        missing("analysis calls elsewhere than before an instruction");
    look(b, &e, in);
    pass_map(b, e.p, MAP_CALLS, pc, 0);
    b->map[b->nmap - 1].waits = true;
    emit_all(&e, true);
    emit_fp(&e, true);
    emit_fcsr(&e, true);
    emit_ld(&e, SP, TP, CTX(host_sp));
    for (const struct call *c = list; c; c = c->next)
        emit_call(&e, in, c);
    emit_fcsr(&e, false);
    emit_fp(&e, false);
    emit_all(&e, false);
    b->p = e.p;
}

/* --- what tools may ask for --------------------------------------------------------------------------------------- */

bool arch_arg_known(u16 iarg)
{
    return iarg == IARG_ADDRINT || iarg == IARG_PTR || iarg == IARG_UINT64 || iarg == IARG_BOOL ||
           iarg == IARG_UINT32 || iarg == IARG_INST_PTR || iarg == IARG_FALLTHROUGH_ADDR;
}

void arch_prepare_calls(struct ins *i)
{
    if (i->change || i->deleted)
        missing("an instruction that the tool changes");
}

bool arch_allows(struct ins *i, enum arch_change what, u32 operand)
{
    return (void)i, (void)what, (void)operand, false;
}
bool arch_allows_reg(struct ins *i, u16 old, u16 new, bool as_read)
{
    return (void)i, (void)old, (void)new, (void)as_read, false;
}
/* Their arguments are constants. */
struct arch_arg_needs arch_arg_needs(const struct call_arg *a) { return (void)a, (struct arch_arg_needs){0}; }
bool arch_has_predicate(struct ins *ins) { return (void)ins, false; }
int arch_tool_register(u16 reg, unsigned *bytes) { return (void)reg, (void)bytes, -1; }

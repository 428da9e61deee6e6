/* SPDX-License-Identifier: Apache-2.0
 * The call of a routine in its middle, for the rest of one that is inlined in part (opt/rest.h). Under jit_lock.
 * Signals wait while it runs (MAP_CALLS), and then for the end of the guest's instruction, as they do in the inlined
 * part (MAP_COMMIT): stepping begins here when one has come. */
#include "arch/x86/bridge.h"
#include "opt/carry.h"
#include "opt/routine.h"
#include "os/thread.h"

/* lea 8(%rsp),%rsp, or -8 */
static void move_stack(struct emit *e, s8 by)
{
    EMIT(e, 0x48, 0x8d, 0x64, 0x24, (u8)by);
}

/* Puts the routine's registers into their places, all at once. */
static void emit_places(struct emit *e, const struct rest *r)
{
    for (enum gpr g = RAX; g < GPR_COUNT; g++)
        if (r->way.to->live >> g & 1 && r->use.name[g] != g)
            emit_push_reg(e, (enum gpr)r->use.name[g]);
    for (enum gpr g = GPR_COUNT; g-- > RAX;)
        if (r->way.to->live >> g & 1 && r->use.name[g] != g)
            emit_pop_reg(e, g);
    for (enum gpr g = RAX; g < GPR_COUNT; g++)
        if (r->way.to->consts >> g & 1) {
            s8 arg = r->way.to->arg_of[g];
            emit_const(e, g, arg < BODY_ADDRESS ? r->use.value[arg] : r->body->address[arg - BODY_ADDRESS]);
        }
}

void arch_lower_rest(struct pass *b, const struct rest *r)
{
    const struct routine *f = routine_scan(r->fn);
    struct emit e = {b->p};
    u16 saved = r->kept & (f->clobbers | r->way.to->live | r->way.to->consts) & (u16)~(1u << RSP);
    bool odd = __builtin_popcount(saved) & 1, switches = r->hold.reg >> RSP & 1;
    pass_map(b, b->p, MAP_CALLS, r->in->pc, 1);
    if (r->next_in)
        emit_store_ctx(&e, ctx_disp(carry_next(carry_id)), (enum gpr)(r->next_in - 1));
    if (switches) {
        emit_store_ctx(&e, HOLD_GPR(RSP), RSP);
        emit_load_ctx(&e, RSP, CTX(host_sp));
    }
    for (enum gpr g = RAX; g < GPR_COUNT; g++)
        if (saved >> g & 1)
            emit_push_reg(&e, g);
    if (odd)
        move_stack(&e, -8);
    emit_places(&e, r);
    bridge_emit_vectors(&e, f->vectors, true);
    b->p = e.p;
    bridge_emit_call(b, &e, (const void *)r->way.to->op.at);
    pass_map(b, e.p, MAP_COMMIT, r->in->pc, 0);
    bridge_emit_look(&e, b);
    bridge_emit_vectors(&e, f->vectors, false);
    if (r->result && r->use.name[RAX] != RAX)
        emit_move(&e, (enum gpr)r->use.name[RAX], RAX);
    if (odd)
        move_stack(&e, 8);
    for (enum gpr g = GPR_COUNT; g-- > RAX;)
        if (saved >> g & 1)
            emit_pop_reg(&e, g);
    if (switches)
        emit_load_ctx(&e, RSP, HOLD_GPR(RSP));
    emit_jmp(&e, r->back);
    b->p = e.p;
}

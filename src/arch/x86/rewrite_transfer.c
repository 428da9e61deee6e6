/* SPDX-License-Identifier: Apache-2.0
 * Rewritten operands of calls, indirect jumps and returns (see rewrite.h). The indirect ones keep to the form of E8:
 * rcx and rax in slots 0 and 1, the target in rcx. */
#include "arch/x86/rewrite.h"

#include "arch/x86/regs.h"
#include "os/thread.h"

/* Where a call returns to, through `value`: by one access, as the instruction makes it. In two halves it would leave
 * one before a page that cannot be written, and no half is unaligned where the whole is. */
static void store_return(struct rewrite *w, enum gpr at, enum gpr value)
{
    emit_const(&w->e, value, w->in->pc + w->in->len);
    rewrite_store(&w->e, at, value, 8, STACK_PREFIX);
}

static void lower_call(struct rewrite *w, int stack)
{
    enum gpr at = rewrite_pick(w, false), value = rewrite_pick(w, false);
    rewrite_begin(w, (u16)(1u << at | 1u << value));
    rewrite_load_address(w, at, stack);
    store_return(w, at, value);
    rewrite_commit(w);
    rewrite_lea(&w->e, RSP, RSP, -8);
    rewrite_end(w, 0);
    lower_exit_to_target(w->b, w->in);
}

static void lower_indirect(struct rewrite *w)
{
    bool call = w->in->cls == INSN_CALL_IND, ret = w->in->cls == INSN_RET;
    int operand = ret ? rewrite_implicit(w->f) : rewrite_explicit(w->f), stack = call ? rewrite_implicit(w->f) : -1;
    lower_indirect_begin(w->b, w->in);
    w->e.p = w->b->p;
    w->saved = 1u << RCX | 1u << RAX;
    w->indirect = true;
    if (rewrite_has(w, operand)) {
        rewrite_load_address(w, RCX, operand);
        rewrite_load(&w->e, RCX, RCX, 8, rewrite_through_stack(w->f, operand) ? STACK_PREFIX : 0);
    } else {
        lower_load_target(w->b, w->in);
        w->e.p = w->b->p;
    }
    if (rewrite_has(w, stack)) {
        rewrite_load_address(w, RAX, stack);
        emit_store_ctx(&w->e, CTX_SLOT(REWRITE_SLOT_TARGET), RCX);
        store_return(w, RAX, RCX);
        emit_load_ctx(&w->e, RCX, CTX_SLOT(REWRITE_SLOT_TARGET));
        rewrite_lea(&w->e, RSP, RSP, -8);
    } else if (ret) {
        rewrite_lea(&w->e, RSP, RSP, (s32)lower_ret_bytes(w->in));
    }
    w->b->p = w->e.p;
    if (call && !rewrite_has(w, stack))
        lower_push_constant(w->b, w->in->pc + w->in->len);
    lower_indirect_end(w->b, w->in);
}

bool rewrite_transfer(struct rewrite *w)
{
    switch ((enum insn_class)w->in->cls) {
    case INSN_CALL: lower_call(w, rewrite_implicit(w->f)); return true;
    case INSN_CALL_IND: case INSN_JMP_IND: case INSN_RET: lower_indirect(w); return true;
    default: return false;
    }
}

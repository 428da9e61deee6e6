/* SPDX-License-Identifier: Apache-2.0
 * Rewritten operands of calls, indirect jumps and returns (see rewrite.h). The indirect ones keep to the form of E8:
 * rcx and rax in slots 0 and 1, the target in rcx. */
#include "arch/x86/rewrite.h"

#include "arch/x86/regs.h"
#include "os/thread.h"

/* movq $v,(%at) to the stack: in two halves where it does not fit */
static void store_constant(struct emit *e, enum gpr at, u64 v)
{
    u8 b = at >> 3;
    if (fits_s32((s64)v)) {
        rewrite_mark_stack(e);
        emit_u8(e, (u8)(0x48 | b));
        emit_u8(e, 0xc7);
        emit_u8(e, at & 7);
        emit_u32(e, (u32)v);
        return;
    }
    for (u32 i = 0; i < 2; i++) {
        rewrite_mark_stack(e);
        emit_u8(e, (u8)(0x40 | b));
        emit_u8(e, 0xc7);
        emit_u8(e, (u8)(0x40 | (at & 7)));
        emit_u8(e, (u8)(i * 4));
        emit_u32(e, (u32)(v >> i * 32));
    }
}

static void lower_call(struct rewrite *w, int stack)
{
    enum gpr at = rewrite_pick(w, false);
    rewrite_begin(w, (u16)(1u << at));
    rewrite_load_address(w, at, stack);
    store_constant(&w->e, at, w->in->pc + w->in->len);
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
        store_constant(&w->e, RAX, w->in->pc + w->in->len);
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

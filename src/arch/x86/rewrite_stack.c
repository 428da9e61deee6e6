/* SPDX-License-Identifier: Apache-2.0
 * Rewritten accesses to the stack: the data goes elsewhere, the stack pointer moves as always (see rewrite.h). An
 * instruction of which only the operand in its encoding is rewritten is not lowered here: it is carried out as it is,
 * with another operand. */
#include "arch/x86/rewrite.h"

#include "os/thread.h"
#include "xed-iclass-enum.h"

static const enum gpr seg_number[2] = {4, 5}; /* fs, gs in the hardware's order of segment registers */

static u16 bit(enum gpr r) { return (u16)(1u << r); }

/* Number of the register in the opcode (50+r, 58+r) or in ModRM's r/m. */
static enum gpr named_register(const struct insn *in)
{
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    return (enum gpr)((in->modrm_off == 0xff ? in->opcode & 7 : in->bytes[in->modrm_off] & 7) | (rex & 1) << 3);
}

/* mov %fs or %gs,%to: zero-extended */
static void load_selector(struct emit *e, enum gpr to, enum gpr seg)
{
    EMIT(e, (u8)(0x48 | to >> 3), 0x8c, (u8)(0xc0 | seg << 3 | (to & 7)));
}

static void lower_push(struct rewrite *w, int stack, u32 bytes)
{
    int operand = rewrite_explicit(w->f);
    enum gpr at = rewrite_pick(w, false), value = rewrite_pick(w, false);
    const struct fact_operand *o = &w->f->op[0];
    bool reg = o->kind == FACT_REG && w->in->opcode != 0xa0 && w->in->opcode != 0xa8;
    rewrite_begin(w, bit(at) | bit(value));
    if (operand >= 0)
        rewrite_load(&w->e, value, value, bytes, rewrite_load_any_address(w, value, operand, at));
    else if (o->kind == FACT_IMM)
        emit_const(&w->e, value, o->imm);
    else if (!reg)
        load_selector(&w->e, value, seg_number[w->in->opcode == 0xa8]);
    rewrite_load_address(w, at, stack);
    rewrite_store(&w->e, at, reg ? named_register(w->in) : value, bytes, STACK_PREFIX);
    rewrite_commit(w);
    rewrite_lea(&w->e, RSP, RSP, -(s32)bytes);
    rewrite_end(w, 0);
}

static void lower_pop(struct rewrite *w, int stack, u32 bytes)
{
    int operand = rewrite_explicit(w->f);
    enum gpr at = rewrite_pick(w, false), value = rewrite_pick(w, false), scratch = rewrite_pick(w, false);
    rewrite_begin(w, bit(at) | bit(value) | bit(scratch));
    rewrite_load_address(w, at, stack);
    rewrite_load(&w->e, value, at, bytes, STACK_PREFIX);
    if (operand >= 0)
        rewrite_store(&w->e, at, value, bytes, rewrite_load_any_address(w, at, operand, scratch));
    rewrite_commit(w);
    rewrite_lea(&w->e, RSP, RSP, (s32)bytes);
    if (operand < 0) {
        if (bytes == 2)
            emit_u8(&w->e, 0x66);
        enum gpr to = named_register(w->in);
        EMIT(&w->e, (u8)((bytes == 8 ? 0x48 : 0x40) | (value >> 3) << 2 | to >> 3), 0x89);
        emit_u8(&w->e, (u8)(0xc0 | (value & 7) << 3 | (to & 7)));
    }
    rewrite_end(w, 0);
}

/* Clears the trap flag in the flags at (%rsp) while the engine steps: then it is not the guest's. */
static void hide_step(struct emit *e, enum gpr r)
{
    /* The guest may have alignment checked. */
    const size_t at = offsetof(struct thread, os.completing), word = at & ~7ul;
    u8 low = r & 7, high = r >> 3;
    const u8 clear[] = {0x48 | high, 0xc1, 0xe0 | low, (u8)(63 - (at - word) * 8), /* shl: that bit alone */
                        0x48 | high, 0xc1, 0xe8 | low, 55, /* shr: where the flag is */
                        0x48 | high, 0xf7, 0xd0 | low,     /* not */
                        0x48 | (u8)(high << 2), 0x21, 0x04 | (u8)(low << 3), 0x24}; /* and %r,(%rsp) */
    emit_load_ctx(e, r, ctx_disp(word));
    emit_bytes(e, clear, sizeof clear);
}

/* pushf: the flags are read through the host's stack. */
static void lower_pushf(struct rewrite *w, int stack, u32 bytes)
{
    enum gpr at = rewrite_pick(w, true), value = rewrite_pick(w, true);
    rewrite_begin(w, bit(at) | bit(value) | bit(RSP));
    emit_load_ctx(&w->e, RSP, CTX(host_sp));
    EMIT(&w->e, 0x9c, 0xff, 0x34, 0x24); /* pushfq; push (%rsp) */
    hide_step(&w->e, value);
    emit_u8(&w->e, (u8)(0x58 | value)); /* pop */
    emit_u8(&w->e, 0x9d);               /* popfq */
    emit_load_ctx(&w->e, RSP, rewrite_slot(w, RSP));
    rewrite_load_address(w, at, stack);
    rewrite_store(&w->e, at, value, bytes, STACK_PREFIX);
    rewrite_commit(w);
    rewrite_lea(&w->e, RSP, RSP, -(s32)bytes);
    rewrite_end(w, bit(RSP));
}

static void lower_popf(struct rewrite *w, int stack, u32 bytes)
{
    enum gpr at = rewrite_pick(w, true);
    rewrite_begin(w, bit(at) | bit(RSP));
    rewrite_load_address(w, at, stack);
    rewrite_load(&w->e, at, at, bytes, STACK_PREFIX);
    emit_load_ctx(&w->e, RSP, CTX(host_sp));
    emit_u8(&w->e, (u8)(0x50 | at));
    if (bytes == 2)
        emit_u8(&w->e, 0x66);
    emit_u8(&w->e, 0x9d);
    rewrite_commit(w);
    emit_load_ctx(&w->e, RSP, rewrite_slot(w, RSP));
    rewrite_lea(&w->e, RSP, RSP, (s32)bytes);
    rewrite_end(w, bit(RSP));
}

static void lower_leave(struct rewrite *w)
{
    enum gpr value = rewrite_pick(w, false);
    rewrite_begin(w, bit(value));
    rewrite_load_address(w, value, 0);
    rewrite_load(&w->e, value, value, 8, STACK_PREFIX);
    rewrite_commit(w);
    rewrite_lea(&w->e, RSP, RBP, 8);
    emit_move(&w->e, RBP, value);
    rewrite_end(w, 0);
}

/* enter without nesting: pushes the frame pointer and makes room. */
static void lower_enter(struct rewrite *w, u32 bytes)
{
    enum gpr at = rewrite_pick(w, false);
    rewrite_begin(w, bit(at));
    rewrite_load_address(w, at, 0);
    rewrite_store(&w->e, at, RBP, bytes, STACK_PREFIX);
    rewrite_commit(w);
    rewrite_lea(&w->e, RBP, RSP, -(s32)bytes);
    rewrite_lea(&w->e, RSP, RBP, -(s32)(u32)w->f->op[0].imm);
    rewrite_end(w, 0);
}

bool rewrite_stack(struct rewrite *w)
{
    int stack = rewrite_implicit(w->f);
    if (!rewrite_has(w, stack))
        return false;
    u32 bytes = w->f->op[w->f->mem[stack]].bits / 8;
    switch (w->f->iclass) {
    case XED_ICLASS_PUSH: lower_push(w, stack, bytes); return true;
    case XED_ICLASS_POP: lower_pop(w, stack, bytes); return true;
    case XED_ICLASS_PUSHF: case XED_ICLASS_PUSHFQ: lower_pushf(w, stack, bytes); return true;
    case XED_ICLASS_POPF: case XED_ICLASS_POPFQ: lower_popf(w, stack, bytes); return true;
    case XED_ICLASS_LEAVE: lower_leave(w); return true;
    case XED_ICLASS_ENTER: lower_enter(w, bytes); return true;
    }
    return false;
}

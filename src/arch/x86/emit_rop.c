/* SPDX-License-Identifier: Apache-2.0
 * Operations of the routine form (opt/rop.h) as machine code, in the shortest encoding. No state. */
#include "arch/x86/emit.h"
#include "opt/rop.h"

/* An instruction with a modrm byte. */
struct code {
    u8 width;
    bool two; /* opcode of two bytes */
    u8 opcode;
    u8 reg;        /* a register, or a digit of the opcode */
    bool byte_reg; /* reg is a register of one byte */
    u8 rm;         /* ROP_REGISTER or ROP_MEMORY */
    u8 rm_reg;
    bool byte_rm;
    u8 tail; /* bytes of the constant that follows */
};

static bool is_high(bool byte, u8 r) { return byte && r >= 4; } /* without REX these would be high bytes of others */

/* modrm, sib and displacement. */
static void emit_memory(struct emit *e, u8 reg, const struct rop_memory *m, u8 tail)
{
    s32 disp = (s32)m->disp;
    u8 r = (u8)((reg & 7) << 3);
    if (m->base < 0 && m->index < 0) {
        emit_u8(e, 0x05 | r);
        emit_u32(e, (u32)(m->disp - (u64)(e->p + 4 + tail)));
        return;
    }
    if (m->index < 0) {
        emit_at(e, (enum gpr)reg, (enum gpr)m->base, disp);
        return;
    }
    bool none = m->base >= 0 && !disp && (m->base & 7) != RBP, small = m->base >= 0 && disp == (s8)disp;
    emit_u8(e, (u8)((m->base < 0 || none ? 0 : small ? 0x40 : 0x80) | r | RSP));
    emit_u8(e, (u8)(m->shift << 6 | (m->index & 7) << 3 | (m->base < 0 ? RBP : m->base & 7)));
    if (small && !none)
        emit_u8(e, (u8)disp);
    else if (!none)
        emit_u32(e, (u32)disp);
}

static void emit_code(struct emit *e, const struct rop *op, struct code c)
{
    bool memory = c.rm == ROP_MEMORY;
    u8 base = memory ? (op->mem.base < 0 ? 0 : (u8)op->mem.base) : c.rm_reg;
    u8 index = memory && op->mem.index >= 0 ? (u8)op->mem.index : 0;
    u8 rex = (u8)((c.width == 8) << 3 | (c.reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
    if (op->locked)
        emit_u8(e, 0xf0);
    if (c.width == 2)
        emit_u8(e, 0x66);
    if (rex || is_high(c.byte_reg, c.reg) || (!memory && is_high(c.byte_rm, c.rm_reg)))
        emit_u8(e, 0x40 | rex);
    if (c.two)
        emit_u8(e, 0x0f);
    emit_u8(e, c.opcode);
    if (memory)
        emit_memory(e, c.reg, &op->mem, c.tail);
    else
        emit_u8(e, (u8)(0xc0 | (c.reg & 7) << 3 | (c.rm_reg & 7)));
}

/* The code with `to` in rm; reg: a digit. */
static struct code on_to(const struct rop *op, u8 opcode, u8 digit)
{
    return (struct code){.width = op->width,
                         .opcode = opcode,
                         .reg = digit,
                         .rm = op->to,
                         .rm_reg = op->to_reg,
                         .byte_rm = op->width == 1};
}

/* The code with `from` in rm and the register `to` in reg. */
static struct code on_from(const struct rop *op, u8 opcode)
{
    return (struct code){.width = op->width,
                         .opcode = opcode,
                         .reg = op->to_reg,
                         .byte_reg = op->width == 1,
                         .rm = op->from,
                         .rm_reg = op->from_reg,
                         .byte_rm = op->width == 1};
}

/* Opcodes that come in pairs: for bytes, and, one more, for the rest. */
static u8 sized(const struct rop *op, u8 opcode) { return (u8)(opcode | (op->width != 1)); }

/* Two operands, one of them perhaps in memory: to in rm, or from. */
static void emit_both(struct emit *e, const struct rop *op, u8 store, u8 load)
{
    if (op->from == ROP_MEMORY) {
        emit_code(e, op, on_from(op, sized(op, load)));
        return;
    }
    struct code c = on_to(op, sized(op, store), op->from_reg);
    c.byte_reg = op->width == 1;
    emit_code(e, op, c);
}

static void emit_immediate(struct emit *e, u64 v, unsigned bytes) { emit_bytes(e, &v, bytes); }

static u8 immediate_bytes(u8 width) { return width > 4 ? 4 : width; }

/* The constant as the CPU sees it. */
static s64 constant_of(const struct rop *op)
{
    unsigned up = 64 - op->width * 8u;
    return (s64)(op->value << up) >> up;
}

static bool is_tiny(const struct rop *op) { return constant_of(op) == (s8)op->value; }

/* The short form of an operation on rax with a constant. */
static bool emit_on_rax(struct emit *e, const struct rop *op, u8 opcode)
{
    if (op->to != ROP_REGISTER || op->to_reg != RAX || op->locked)
        return false;
    if (op->width == 2)
        emit_u8(e, 0x66);
    if (op->width == 8)
        emit_u8(e, 0x48);
    emit_u8(e, sized(op, opcode));
    emit_immediate(e, op->value, immediate_bytes(op->width));
    return true;
}

static void emit_alu(struct emit *e, const struct rop *op)
{
    u8 digit = (u8)(op->kind - ROP_ADD);
    if (op->keeps_carry) {
        emit_code(e, op, on_to(op, sized(op, 0xfe), op->kind == ROP_SUB));
        return;
    }
    if (op->from != ROP_CONSTANT) {
        emit_both(e, op, (u8)(digit << 3), (u8)(digit << 3 | 2));
        return;
    }
    bool tiny = op->width > 1 && is_tiny(op);
    if (!tiny && emit_on_rax(e, op, (u8)(digit << 3 | 4)))
        return;
    struct code c = on_to(op, tiny ? 0x83 : sized(op, 0x80), digit);
    c.tail = tiny ? 1 : immediate_bytes(op->width);
    emit_code(e, op, c);
    emit_immediate(e, op->value, c.tail);
}

static void emit_test(struct emit *e, const struct rop *op)
{
    if (op->from != ROP_CONSTANT) {
        emit_both(e, op, 0x84, 0x84);
        return;
    }
    if (emit_on_rax(e, op, 0xa8))
        return;
    struct code c = on_to(op, sized(op, 0xf6), 0);
    c.tail = immediate_bytes(op->width);
    emit_code(e, op, c);
    emit_immediate(e, op->value, c.tail);
}

static void emit_bit_test(struct emit *e, const struct rop *op)
{
    bool constant = op->from == ROP_CONSTANT;
    struct code c = on_to(op, constant ? 0xba : 0xa3, constant ? 4 : op->from_reg);
    c.two = true;
    c.tail = constant;
    emit_code(e, op, c);
    if (constant)
        emit_u8(e, (u8)op->value);
}

static void emit_constant(struct emit *e, const struct rop *op)
{
    u8 r = op->to_reg, width = op->width;
    u64 v = op->value;
    if (width == 8 && v > 0xffffffff && fits_s32((s64)v)) {
        emit_code(e, op, on_to(op, 0xc7, 0));
        emit_u32(e, (u32)v);
        return;
    }
    if (width == 8 && v <= 0xffffffff)
        width = 4;
    u8 rex = (u8)((width == 8) << 3 | r >> 3);
    if (width == 2)
        emit_u8(e, 0x66);
    if (rex || is_high(width == 1, r))
        emit_u8(e, 0x40 | rex);
    emit_u8(e, (u8)((width == 1 ? 0xb0 : 0xb8) | (r & 7)));
    emit_immediate(e, v, width);
}

static void emit_move_op(struct emit *e, const struct rop *op)
{
    if (op->from != ROP_CONSTANT) {
        emit_both(e, op, 0x88, 0x8a);
    } else if (op->to == ROP_REGISTER) {
        emit_constant(e, op);
    } else {
        struct code c = on_to(op, sized(op, 0xc6), 0);
        c.tail = immediate_bytes(op->width);
        emit_code(e, op, c);
        emit_immediate(e, op->value, c.tail);
    }
}

static void emit_address(struct emit *e, const struct rop *op)
{
    const struct rop_memory *m = &op->mem;
    if (rop_is_absolute(op))
        emit_const(e, (enum gpr)op->to_reg, op->width == 8 ? m->disp : (u32)m->disp);
    else if (op->width == 8)
        emit_lea(e, (enum gpr)op->to_reg, m->base, m->index, (u8)(1 << m->shift), (s32)m->disp);
    else
        emit_code(e, op, on_from(op, 0x8d));
}

static void emit_shift(struct emit *e, const struct rop *op)
{
    u8 digit = op->kind == ROP_SHL ? 4 : op->kind == ROP_SHR ? 5 : 7;
    bool constant = op->from == ROP_CONSTANT, one = constant && op->value == 1;
    ASSERT(constant || op->from_reg == RCX);
    struct code c = on_to(op, sized(op, one ? 0xd0 : constant ? 0xc0 : 0xd2), digit);
    c.tail = constant && !one;
    emit_code(e, op, c);
    if (c.tail)
        emit_u8(e, (u8)op->value);
}

static void emit_scale(struct emit *e, const struct rop *op)
{
    struct code c = on_from(op, is_tiny(op) ? 0x6b : 0x69);
    c.tail = is_tiny(op) ? 1 : immediate_bytes(op->width);
    emit_code(e, op, c);
    emit_immediate(e, op->value, c.tail);
}

static void emit_two(struct emit *e, const struct rop *op, u8 opcode, u8 from_width)
{
    struct code c = on_from(op, opcode);
    c.two = true;
    c.byte_reg = false;
    c.byte_rm = from_width == 1;
    emit_code(e, op, c);
}

static void emit_extend(struct emit *e, const struct rop *op)
{
    bool is_signed = op->kind == ROP_SIGN_EXTEND,
         on_rax = op->from == ROP_REGISTER && op->from_reg == RAX && op->to_reg == RAX;
    struct rop short_op = *op;
    if (is_signed && on_rax && op->from_width == op->width / 2 && op->width >= 4) { /* cwtl, cltq */
        if (op->width == 8)
            emit_u8(e, 0x48);
        emit_u8(e, 0x98);
        return;
    }
    if (op->from_width == 4) {
        emit_code(e, op, on_from(op, 0x63));
        return;
    }
    if (!is_signed && op->width == 8)
        short_op.width = 4;
    emit_two(e, &short_op, (u8)((is_signed ? 0xbe : 0xb6) | (op->from_width == 2)), op->from_width);
}

static void emit_swap(struct emit *e, const struct rop *op)
{
    u8 rex = (u8)((op->width == 8) << 3 | op->to_reg >> 3);
    if (rex)
        emit_u8(e, 0x40 | rex);
    EMIT(e, 0x0f, (u8)(0xc8 | (op->to_reg & 7)));
}

static void emit_set(struct emit *e, const struct rop *op)
{
    struct code c = on_to(op, 0x90 | op->condition, 0);
    c.two = true;
    emit_code(e, op, c);
}

static void emit_sign_fill(struct emit *e, const struct rop *op)
{
    ASSERT(op->to_reg == RDX && op->from_reg == RAX);
    if (op->width == 8)
        emit_u8(e, 0x48);
    emit_u8(e, 0x99);
}

u8 *arch_emit_rop(u8 *p, const struct rop *op)
{
    struct emit at = {p}, *e = &at;
    switch ((enum rop_kind)op->kind) {
    case ROP_NONE: break;
    case ROP_MOVE: emit_move_op(e, op); break;
    case ROP_ADDRESS: emit_address(e, op); break;
    case ROP_ADD:
    case ROP_OR:
    case ROP_ADC:
    case ROP_SBB:
    case ROP_AND:
    case ROP_SUB:
    case ROP_XOR:
    case ROP_COMPARE: emit_alu(e, op); break;
    case ROP_TEST: emit_test(e, op); break;
    case ROP_BIT_TEST: emit_bit_test(e, op); break;
    case ROP_SHL:
    case ROP_SHR:
    case ROP_SAR: emit_shift(e, op); break;
    case ROP_NOT: emit_code(e, op, on_to(op, sized(op, 0xf6), 2)); break;
    case ROP_NEGATE: emit_code(e, op, on_to(op, sized(op, 0xf6), 3)); break;
    case ROP_SWAP_BYTES: emit_swap(e, op); break;
    case ROP_MULTIPLY: emit_two(e, op, 0xaf, op->width); break;
    case ROP_SCALE: emit_scale(e, op); break;
    case ROP_ZERO_EXTEND:
    case ROP_SIGN_EXTEND: emit_extend(e, op); break;
    case ROP_SIGN_FILL: emit_sign_fill(e, op); break;
    case ROP_SET: emit_set(e, op); break;
    case ROP_MOVE_IF: emit_two(e, op, 0x40 | op->condition, op->width); break;
    default: BUG("operation %u of an analysis routine at %lx cannot be written", op->kind, op->at);
    }
    return at.p;
}

bool arch_rop_reaches(const u8 *p, u64 address) { return in_reach(p, address); }

u8 *arch_emit_rop_jump(u8 *p, int condition, bool wide)
{
    struct emit e = {p};
    if (wide && condition >= 0)
        emit_u8(&e, 0x0f);
    emit_u8(&e, (u8)(condition >= 0 ? (wide ? 0x80 : 0x70) | condition : wide ? 0xe9 : 0xeb));
    return e.p + (wide ? 4 : 1);
}

bool arch_point_rop_jump(u8 *end, bool wide, const u8 *to)
{
    s32 rel = (s32)(to - end);
    memcpy(end - (wide ? 4 : 1), &rel, wide ? 4 : 1);
    return wide || rel == (s8)rel;
}

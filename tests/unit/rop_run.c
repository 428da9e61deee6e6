/* SPDX-License-Identifier: Apache-2.0
 * See rop_run.h. No state. */
#include "rop_run.h"

#include <string.h>

static u64 mask(unsigned bytes) { return bytes >= 8 ? ~0ul : (1ul << bytes * 8) - 1; }
static bool top(u64 v, unsigned bytes) { return v >> (bytes * 8 - 1) & 1; }
static u64 sign_extended(u64 v, unsigned bytes) { return top(v, bytes) ? v | ~mask(bytes) : v & mask(bytes); }

u64 rop_address(const struct rop_machine *m, const struct rop *op)
{
    u64 at = op->mem.disp;
    if (op->mem.base >= 0)
        at += m->reg[op->mem.base];
    if (op->mem.index >= 0)
        at += m->reg[op->mem.index] << op->mem.shift;
    return at;
}

static u64 load(u64 at, unsigned bytes)
{
    u64 v = 0;
    memcpy(&v, (const void *)at, bytes);
    return v;
}

static u64 get(const struct rop_machine *m, const struct rop *op, u8 kind, u8 reg, unsigned bytes)
{
    switch (kind) {
    case ROP_REGISTER: return m->reg[reg] & mask(bytes);
    case ROP_CONSTANT: return op->value & mask(bytes);
    case ROP_MEMORY: return load(rop_address(m, op), bytes);
    default: return 0;
    }
}

static u64 get_to(const struct rop_machine *m, const struct rop *op)
{
    return get(m, op, op->to, op->to_reg, op->width);
}
static u64 get_from(const struct rop_machine *m, const struct rop *op)
{
    return get(m, op, op->from, op->from_reg, op->from_width ? op->from_width : op->width);
}

static void set_reg(struct rop_machine *m, u8 reg, u64 v, unsigned bytes)
{
    m->reg[reg] = bytes >= 4 ? v & mask(bytes) : (m->reg[reg] & ~mask(bytes)) | (v & mask(bytes));
}

static void set_to(struct rop_machine *m, const struct rop *op, u64 v)
{
    u64 at = op->to == ROP_MEMORY ? rop_address(m, op) : 0;
    if (op->to == ROP_MEMORY)
        memcpy((void *)at, &v, op->width);
    else
        set_reg(m, op->to_reg, v, op->width);
}

/* --- flags ---------------------------------------------------------------------------------------- */

static void set_result_flags(struct rop_machine *m, u64 v, unsigned bytes)
{
    v &= mask(bytes);
    m->zero = !v;
    m->sign = top(v, bytes);
    m->parity = !(__builtin_popcountl(v & 0xff) & 1);
}

static u64 add(struct rop_machine *m, u64 a, u64 b, bool carry, unsigned bytes)
{
    u64 v = (a + b + carry) & mask(bytes);
    set_result_flags(m, v, bytes);
    m->carry = v < a || (carry && v == a);
    m->overflow = top((a ^ v) & (b ^ v), bytes);
    m->unknown = 0;
    return v;
}

static u64 subtract(struct rop_machine *m, u64 a, u64 b, bool carry, unsigned bytes)
{
    u64 v = (a - b - carry) & mask(bytes);
    set_result_flags(m, v, bytes);
    m->carry = a < b || (carry && a == b);
    m->overflow = top((a ^ b) & (a ^ v), bytes);
    m->unknown = 0;
    return v;
}

static u64 logic(struct rop_machine *m, u64 v, unsigned bytes)
{
    set_result_flags(m, v, bytes);
    m->carry = m->overflow = false;
    m->unknown = 0;
    return v;
}

static bool is_true(const struct rop_machine *m, u8 condition)
{
    bool is = false;
    switch (condition & ~1) {
    case ROP_IF_OVERFLOW: is = m->overflow; break;
    case ROP_IF_BELOW: is = m->carry; break;
    case ROP_IF_EQUAL: is = m->zero; break;
    case ROP_IF_NOT_ABOVE: is = m->carry || m->zero; break;
    case ROP_IF_NEGATIVE: is = m->sign; break;
    case ROP_IF_EVEN: is = m->parity; break;
    case ROP_IF_LESS: is = m->sign != m->overflow; break;
    case ROP_IF_NOT_GREATER: is = m->zero || m->sign != m->overflow; break;
    }
    return is != (condition & 1);
}

u8 rop_flags_read(const struct rop *op)
{
    static const u8 by_condition[8] = {ROP_FLAG_OVERFLOW,
                                       ROP_FLAG_CARRY,
                                       ROP_FLAG_ZERO,
                                       ROP_FLAG_CARRY | ROP_FLAG_ZERO,
                                       ROP_FLAG_SIGN,
                                       ROP_FLAG_PARITY,
                                       ROP_FLAG_SIGN | ROP_FLAG_OVERFLOW,
                                       ROP_FLAG_ZERO | ROP_FLAG_SIGN | ROP_FLAG_OVERFLOW};
    switch (op->kind) {
    case ROP_ADC:
    case ROP_SBB: return ROP_FLAG_CARRY;
    case ROP_SET:
    case ROP_MOVE_IF:
    case ROP_BRANCH: return by_condition[op->condition >> 1 & 7];
    default: return 0;
    }
}

/* --- operations ----------------------------------------------------------------------------------- */

static void shift(struct rop_machine *m, const struct rop *op)
{
    unsigned bits = op->width * 8u, n = (unsigned)get_from(m, op) & (op->width == 8 ? 63 : 31);
    u64 a = get_to(m, op), v = a;
    if (!n) {
        set_to(m, op, a); /* of 4 bytes: the upper ones are cleared all the same */
        return;
    }
    if (op->kind == ROP_SHL) {
        v = n < 64 ? a << n : 0;
        m->carry = n <= bits && a >> (bits - n) & 1;
        m->overflow = top(v, op->width) != m->carry;
    } else if (op->kind == ROP_SHR) {
        v = n < 64 ? a >> n : 0;
        m->carry = n <= bits && a >> (n - 1) & 1;
        m->overflow = top(a, op->width);
    } else {
        s64 wide = (s64)sign_extended(a, op->width);
        v = (u64)(wide >> n);
        m->carry = wide >> (n - 1) & 1;
        m->overflow = false;
    }
    set_result_flags(m, v, op->width);
    m->unknown = (u8)((n > 1 ? ROP_FLAG_OVERFLOW : 0) | (n >= bits ? ROP_FLAG_CARRY : 0));
    set_to(m, op, v);
}

static void multiply(struct rop_machine *m, const struct rop *op, u64 a, u64 b)
{
    __int128 v = (__int128)(s64)sign_extended(a, op->width) * (s64)sign_extended(b, op->width);
    m->carry = m->overflow = v != (s64)sign_extended((u64)v & mask(op->width), op->width);
    m->unknown = ROP_FLAG_ZERO | ROP_FLAG_SIGN | ROP_FLAG_PARITY;
    set_to(m, op, (u64)v);
}

static void bit_test(struct rop_machine *m, const struct rop *op)
{
    u64 n = get_from(m, op), bits = op->width * 8u;
    s64 far = (s64)sign_extended(n, op->width) >> (op->width == 8 ? 6 : op->width == 4 ? 5 : 4);
    u64 v = op->to == ROP_MEMORY && op->from == ROP_REGISTER
                ? load(rop_address(m, op) + (u64)far * op->width, op->width)
                : get_to(m, op);
    m->carry = v >> (n & (bits - 1)) & 1;
    m->unknown |= ROP_FLAGS & ~(ROP_FLAG_CARRY | ROP_FLAG_ZERO); /* zero is as it was, known or not */
    m->unknown &= (u8)~ROP_FLAG_CARRY;
}

static void arithmetic(struct rop_machine *m, const struct rop *op)
{
    u64 a = get_to(m, op), b = get_from(m, op), v;
    bool carry = m->carry;
    switch (op->kind) {
    case ROP_ADD: v = add(m, a, b, false, op->width); break;
    case ROP_ADC: v = add(m, a, b, carry, op->width); break;
    case ROP_SUB: v = subtract(m, a, b, false, op->width); break;
    case ROP_SBB: v = subtract(m, a, b, carry, op->width); break;
    case ROP_AND: v = logic(m, a & b, op->width); break;
    case ROP_OR: v = logic(m, a | b, op->width); break;
    case ROP_XOR: v = logic(m, a ^ b, op->width); break;
    default: v = subtract(m, 0, a, false, op->width); break; /* ROP_NEGATE */
    }
    if (op->keeps_carry)
        m->carry = carry;
    set_to(m, op, v);
}

static void push(struct rop_machine *m, u64 v)
{
    m->reg[rop_registers.stack] -= 8;
    memcpy((void *)m->reg[rop_registers.stack], &v, 8);
}

static u64 pop(struct rop_machine *m)
{
    u64 v = load(m->reg[rop_registers.stack], 8);
    m->reg[rop_registers.stack] += 8;
    return v;
}

static u64 swapped(u64 v, unsigned bytes) { return bytes == 8 ? __builtin_bswap64(v) : __builtin_bswap32((u32)v); }

bool rop_step(struct rop_machine *m, const struct rop *op)
{
    u8 was = m->unknown;
    switch ((enum rop_kind)op->kind) {
    case ROP_NONE: return true;
    case ROP_MOVE:
    case ROP_ZERO_EXTEND: set_to(m, op, get_from(m, op)); return true;
    case ROP_ADDRESS: set_to(m, op, rop_address(m, op)); return true;
    case ROP_ADD:
    case ROP_OR:
    case ROP_ADC:
    case ROP_SBB:
    case ROP_AND:
    case ROP_SUB:
    case ROP_XOR:
    case ROP_NEGATE:
        arithmetic(m, op);
        m->unknown = op->keeps_carry ? was & ROP_FLAG_CARRY : 0;
        return true;
    case ROP_COMPARE: subtract(m, get_to(m, op), get_from(m, op), false, op->width); return true;
    case ROP_TEST: logic(m, get_to(m, op) & get_from(m, op), op->width); return true;
    case ROP_BIT_TEST: bit_test(m, op); return true;
    case ROP_SHL:
    case ROP_SHR:
    case ROP_SAR: shift(m, op); return true;
    case ROP_NOT: set_to(m, op, ~get_to(m, op)); return true;
    case ROP_SWAP_BYTES: set_to(m, op, swapped(get_to(m, op), op->width)); return op->width >= 4;
    case ROP_MULTIPLY: multiply(m, op, get_to(m, op), get_from(m, op)); return true;
    case ROP_SCALE: multiply(m, op, get_from(m, op), op->value & mask(op->width)); return true;
    case ROP_SIGN_EXTEND: set_to(m, op, sign_extended(get_from(m, op), op->from_width)); return true;
    case ROP_SIGN_FILL: set_to(m, op, top(get_from(m, op), op->width) ? ~0ul : 0); return true;
    case ROP_SET: set_to(m, op, is_true(m, op->condition)); return true;
    case ROP_MOVE_IF: {
        u64 v = get_from(m, op); /* read in any case */
        set_to(m, op, is_true(m, op->condition) ? v : get_to(m, op));
        return true;
    }
    case ROP_PUSH: push(m, get_from(m, op)); return op->width == 8;
    case ROP_POP: set_to(m, op, pop(m)); return op->width == 8;
    case ROP_LEAVE:
        m->reg[rop_registers.stack] = m->reg[op->to_reg];
        m->reg[op->to_reg] = pop(m);
        return true;
    default: return false;
    }
}

bool rop_run(struct rop_machine *m, const struct form *f, u32 limit)
{
    s16 i = 0;
    while (i != ROP_END && limit--) {
        const struct rop *op = &f->op[i];
        switch (op->kind) {
        case ROP_RETURN: m->reg[rop_registers.stack] += 8 + op->value; return true;
        case ROP_BRANCH: i = is_true(m, op->condition) ? op->taken : op->next; break;
        case ROP_JUMP: i = op->taken; break;
        case ROP_CALL:
            push(m, op->at + op->bytes);
            if (!op->target || !rop_run(m, form_of((const void *)op->target), limit))
                return false;
            i = op->next;
            break;
        default:
            if (!rop_step(m, op))
                return false;
            i = op->next;
        }
    }
    return false;
}

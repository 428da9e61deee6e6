/* SPDX-License-Identifier: Apache-2.0
 * See rop.h. No state. */
#include "opt/rop.h"

static reg_set bit(int r) { return r < 0 ? 0 : (reg_set)(1u << r); }

/* What a kind does with its operand `to`. */
enum use { READS = 1, WRITES = 2, CHANGES = 3 };

static enum use use_of_to(enum rop_kind k)
{
    switch (k) {
    case ROP_MOVE:
    case ROP_ADDRESS:
    case ROP_SCALE:
    case ROP_ZERO_EXTEND:
    case ROP_SIGN_EXTEND:
    case ROP_SIGN_FILL:
    case ROP_SET:
    case ROP_POP: return WRITES;
    case ROP_COMPARE:
    case ROP_TEST:
    case ROP_BIT_TEST: return READS;
    default: return CHANGES;
    }
}

static void touch_to(struct rop *op)
{
    enum use use = use_of_to(op->kind);
    reg_set r = bit(op->to_reg);
    bool part = op->width < 4; /* the upper part of the register stays */
    if (use & READS || part)
        op->reads |= r;
    if (use & WRITES)
        op->writes |= r;
    if (use == WRITES && !part)
        op->kills |= r;
}

void rop_find_effects(struct rop *op)
{
    if (op->kind == ROP_OPAQUE)
        return;
    op->reads = op->writes = op->kills = 0;
    if (op->kind == ROP_NONE)
        return;
    if (op->to == ROP_REGISTER)
        touch_to(op);
    if (op->from == ROP_REGISTER)
        op->reads |= bit(op->from_reg);
    if (rop_has_memory(op))
        op->reads |= bit(op->mem.base) | bit(op->mem.index);
    if (op->kind == ROP_PUSH || op->kind == ROP_POP || op->kind == ROP_LEAVE || op->kind == ROP_CALL ||
        op->kind == ROP_RETURN) {
        op->reads |= bit(rop_registers.stack);
        op->writes |= bit(rop_registers.stack);
    }
    op->kills &= (reg_set)~op->reads;
}

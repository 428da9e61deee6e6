/* SPDX-License-Identifier: Apache-2.0
 * Does an analysis routine return a byte? Routines of InsertIfCall should return a word, but many tools' return bool, and then a compiler leaves in the upper part of rax what it likes.
 * Found by following the routine along all its branches: a byte is what comes out of an 8-bit write over a register whose upper part was not zero. A routine that returns a word never ends
 * with that. What is not understood (calls, long routines) counts as a word. No state but what routine.c keeps. */
#include "arch/x86/routine.h"

#include "arch/x86/decoder.h"

#define MAX_INSNS 256

/* One bit for each general register. */
struct state {
    u16 zero; /* above the low byte there is nothing but zeros */
    u16 byte; /* the low byte was written over something else */
};

struct point {
    const u8 *p;
    struct state in;
    bool todo;
};

struct flow {
    struct point at[MAX_INSNS];
    u32 n;
    bool returns_byte, too_long;
};

static u16 reg_bit(ZydisRegister r)
{
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return full >= ZYDIS_REGISTER_RAX && full <= ZYDIS_REGISTER_R15 ? (u16)(1u << (full - ZYDIS_REGISTER_RAX)) : 0;
}

/* What is known at p on all ways to it. */
static void reach(struct flow *f, const u8 *p, struct state s)
{
    for (u32 i = 0; i < f->n; i++)
        if (f->at[i].p == p) {
            struct state old = f->at[i].in, joined = {old.zero & s.zero, old.byte | s.byte};
            if (joined.zero != old.zero || joined.byte != old.byte) {
                f->at[i].in = joined;
                f->at[i].todo = true;
            }
            return;
        }
    if (f->n == MAX_INSNS) {
        f->too_long = true;
        return;
    }
    f->at[f->n++] = (struct point){p, s, true};
}

static bool is_register(const ZydisDecodedOperand *o) { return o->type == ZYDIS_OPERAND_TYPE_REGISTER && reg_bit(o->reg.value); }

static bool zeroes(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    bool same = z->operand_count_visible == 2 && is_register(&op[1]) && op[0].reg.value == op[1].reg.value;
    return z->mnemonic == ZYDIS_MNEMONIC_MOVZX || (same && (z->mnemonic == ZYDIS_MNEMONIC_XOR || z->mnemonic == ZYDIS_MNEMONIC_SUB)) ||
           ((z->mnemonic == ZYDIS_MNEMONIC_MOV || z->mnemonic == ZYDIS_MNEMONIC_AND) && op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op[1].imm.value.u <= 0xff);
}

/* Operations that work on bytes in wider registers as well. */
static bool carries_bytes(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_AND || m == ZYDIS_MNEMONIC_OR || m == ZYDIS_MNEMONIC_XOR || m == ZYDIS_MNEMONIC_NOT || (m >= ZYDIS_MNEMONIC_CMOVB && m <= ZYDIS_MNEMONIC_CMOVZ);
}

static void write_register(struct state *s, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op, const ZydisDecodedOperand *to)
{
    u16 bit = reg_bit(to->reg.value), from = z->operand_count_visible == 2 && is_register(&op[1]) ? reg_bit(op[1].reg.value) : 0;
    struct state old = *s;
    if (ZydisRegisterGetClass(to->reg.value) == ZYDIS_REGCLASS_GPR8) {
        if (!(old.zero & bit))
            s->byte |= bit;
        return;
    }
    bool first = to == &op[0], byte = false, zero = false;
    if (first && zeroes(z, op))
        zero = true;
    else if (first && z->mnemonic == ZYDIS_MNEMONIC_MOV && from) {
        byte = old.byte & from;
        zero = old.zero & from;
    } else if (first && carries_bytes(z->mnemonic))
        byte = (old.byte & bit) || (old.byte & from);
    s->byte = (u16)(byte ? s->byte | bit : s->byte & ~bit);
    s->zero = (u16)(zero ? s->zero | bit : s->zero & ~bit);
}

static void go_on(struct flow *f, const u8 *next, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op, struct state s)
{
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_RET:
        f->returns_byte |= s.byte & 1;
        return;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
        if (op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
            reach(f, next + op[0].imm.value.s, s);
        if (z->meta.category == ZYDIS_CATEGORY_COND_BR)
            reach(f, next, s);
        return;
    case ZYDIS_CATEGORY_CALL:
        s.zero = s.byte = 0;
        break;
    default:
        break;
    }
    reach(f, next, s);
}

static void step(struct flow *f, struct point at)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    if (!decoder_host(at.p, &z, op))
        return;
    for (u8 i = 0; i < z.operand_count; i++)
        if ((op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) && is_register(&op[i]))
            write_register(&at.in, &z, op, &op[i]);
    go_on(f, at.p + z.length, &z, op, at.in);
}

bool routine_returns_byte(void *fn)
{
    static struct flow f; /* too large for a stack */
    f.n = 0;
    f.returns_byte = f.too_long = false;
    reach(&f, fn, (struct state){0, 0});
    for (u32 i = 0; i < f.n;) {
        if (!f.at[i].todo) {
            i++;
            continue;
        }
        f.at[i].todo = false;
        step(&f, f.at[i]);
        i = 0;
    }
    return f.returns_byte && !f.too_long;
}

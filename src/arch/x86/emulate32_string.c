/* SPDX-License-Identifier: Apache-2.0
 * IA-32 strings and xlat with a segment's base or addresses of 16 bits, whose sums wrap otherwise than in 64-bit mode.
 * On the guest's thread, no lock held. */
#include "arch/x86/emulate32_todo.h"

#include <string.h>

enum { AT_ONCE = 4096 }; /* iterations, then signals have their turn */

static u32 indexed(const struct todo *t, enum gpr r)
{
    return t->z.address_width == 16 ? (u16)t->c->gpr[r] : reg32(t, r);
}

static void step(struct todo *t, enum gpr r, u32 bytes)
{
    u32 by = t->c->flags & FLAG_DF ? -bytes : bytes;
    set_part(t, r, reg32(t, r) + by, t->z.address_width / 8);
}

/* Flags as `a - b` leaves them. */
static void compare(struct todo *t, u32 a, u32 b, u32 bytes)
{
    u32 top = 8 * bytes - 1, mask = top == 31 ? ~0u : (2u << top) - 1, d = (a - b) & mask;
    u64 f = (a < b ? FLAG_CF : 0) | (__builtin_parity(d & 0xff) ? 0 : FLAG_PF) | ((a ^ b ^ d) & FLAG_AF) |
            (d ? 0 : FLAG_ZF) | (d >> top & 1 ? FLAG_SF : 0) | (((a ^ b) & (a ^ d)) >> top & 1 ? FLAG_OF : 0);
    t->c->flags = (t->c->flags & ~(u64)FLAGS_OF_RESULT) | f;
}

enum string { MOVS = 0xa4, CMPS = 0xa6, STOS = 0xaa, LODS = 0xac, SCAS = 0xae };

static bool reads_source(u8 how) { return how == MOVS || how == CMPS || how == LODS; }

/* One iteration; false: it faults, and nothing has changed. */
static bool once(struct todo *t, u8 how, u32 bytes, u32 source_base)
{
    u32 a = reg32(t, RAX), b = 0, from = source_base + indexed(t, RSI), to = indexed(t, RDI);
    a = bytes == 4 ? a : a & ((1u << 8 * bytes) - 1);
    if (reads_source(how) && (a = 0, !emulate32_load(t, from, &a, bytes)))
        return false;
    if ((how == CMPS || how == SCAS) && !emulate32_load(t, to, &b, bytes))
        return false;
    if ((how == MOVS || how == STOS) && !emulate32_store(t, to, &a, bytes))
        return false;
    if (how == CMPS || how == SCAS)
        compare(t, a, b, bytes);
    if (how == LODS)
        memcpy(&t->c->gpr[RAX], &a, bytes);
    if (reads_source(how))
        step(t, RSI, bytes);
    if (how != LODS)
        step(t, RDI, bytes);
    return true;
}

static ZydisRegister source_segment(const struct todo *t)
{
    for (u32 i = 0; i < t->z.operand_count; i++)
        if (t->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY && decoder_gpr(t->op[i].mem.base) == RSI)
            return t->op[i].mem.segment;
    return ZYDIS_REGISTER_DS;
}

static enum done string(struct todo *t)
{
    u8 how = t->z.opcode & 0xfe;
    u32 bytes = t->z.opcode & 1 ? t->word : 1, base = emulate32_segment_base(t, source_segment(t));
    bool while_equal = t->z.attributes & ZYDIS_ATTRIB_HAS_REPE, until_equal = t->z.attributes & ZYDIS_ATTRIB_HAS_REPNE;
    bool repeats = while_equal || until_equal || t->z.attributes & ZYDIS_ATTRIB_HAS_REP;
    for (u32 n = 0; !repeats || indexed(t, RCX); n++) {
        if (n == AT_ONCE) {
            t->jumps = true; /* to itself */
            return DONE;
        }
        if (!once(t, how, bytes, base))
            return FAULTS;
        if (!repeats)
            break;
        set_part(t, RCX, reg32(t, RCX) - 1, t->z.address_width / 8);
        bool equal = t->c->flags & FLAG_ZF;
        if ((how == CMPS || how == SCAS) && ((while_equal && !equal) || (until_equal && equal)))
            break;
    }
    return DONE;
}

static enum done translate(struct todo *t)
{
    u8 v;
    u32 at = reg32(t, RBX) + (u8)reg32(t, RAX);
    at = t->z.address_width == 16 ? (u16)at : at;
    for (u32 i = 0; i < t->z.operand_count; i++)
        if (t->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            at += emulate32_segment_base(t, t->op[i].mem.segment);
    if (!emulate32_load(t, at, &v, 1))
        return FAULTS;
    memcpy(&t->c->gpr[RAX], &v, 1);
    return DONE;
}

enum done emulate32_string(struct todo *t)
{
    if (t->z.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT || t->z.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        return REFUSED;
    switch (t->z.opcode) {
    case 0xa4 ... 0xa7: case 0xaa ... 0xaf: return string(t);
    case 0xd7: return translate(t);
    default: return REFUSED;
    }
}

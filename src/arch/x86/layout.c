/* SPDX-License-Identifier: Apache-2.0
 * The parts of an encoding, read from its bytes. What the decoder has found says how long displacement and constants
 * are; the rest is as the manuals of the processors lay it out. No state. */
#include "arch/x86/layout.h"

#include "arch/x86/facts.h"

static u8 at(const struct ins_facts *f, u32 i) { return i < f->len ? f->bytes[i] : 0; }

static bool take_legacy(struct layout *l, u8 byte)
{
    switch (byte) {
    case 0x66: l->osz = true; return true;
    case 0x67: l->asz = true; return true;
    case 0xf0: l->lock = true; return true;
    case 0xf2: case 0xf3:
        l->last_rep = byte & 15;
        l->first_rep = l->first_rep ? l->first_rep : l->last_rep;
        *(byte == 0xf2 ? &l->f2 : &l->f3) = true;
        return true;
    case 0x2e: case 0x36: case 0x3e: case 0x26: case 0x64: case 0x65:
        l->nseg++;
        l->seg = byte;
        return true;
    }
    return false;
}

/* In code of 64 bits segments other than FS and GS are ignored, and so is an earlier FS or GS before one of them. */
static u32 take_prefixes(const struct ins_facts *f, struct layout *l)
{
    u32 i = 0;
    for (; i < f->len; i++) {
        u8 byte = f->bytes[i];
        if (take_legacy(l, byte)) {
            l->nlegacy++;
            l->rex = 0;
        } else if (f->mode32 == CODE_64 && (byte & 0xf0) == 0x40) {
            l->nrex++;
            l->rex = byte;
        } else {
            break;
        }
    }
    l->w = l->rex & 8;
    l->r = l->rex & 4;
    l->x = l->rex & 2;
    l->b = l->rex & 1;
    return i;
}

static u32 take_vex2(const struct ins_facts *f, struct layout *l, u32 i)
{
    u8 p = at(f, i + 1);
    l->space = SPACE_VEX;
    l->map = 1;
    l->r = !(p & 0x80);
    l->vvvv = p >> 3 & 15;
    l->vector_length = p >> 2 & 1;
    l->pp = p & 3;
    return i + 2;
}

static u32 take_vex3(const struct ins_facts *f, struct layout *l, u32 i)
{
    u8 p = at(f, i + 1), q = at(f, i + 2);
    l->space = at(f, i) == 0x8f ? SPACE_XOP : SPACE_VEX;
    l->c4 = l->space == SPACE_VEX;
    l->map = p & 31;
    l->r = !(p & 0x80), l->x = !(p & 0x40), l->b = !(p & 0x20);
    l->w = q & 0x80;
    l->vvvv = q >> 3 & 15;
    l->vector_length = q >> 2 & 1;
    l->pp = q & 3;
    return i + 3;
}

static u32 take_evex(const struct ins_facts *f, struct layout *l, u32 i)
{
    u8 p = at(f, i + 1), q = at(f, i + 2), s = at(f, i + 3);
    l->space = SPACE_EVEX;
    l->map = p & 7;
    l->r = !(p & 0x80), l->x = !(p & 0x40), l->b = !(p & 0x20), l->r4 = !(p & 0x10);
    l->w = q & 0x80;
    l->vvvv = q >> 3 & 15;
    l->ubit = q & 4;
    l->pp = q & 3;
    l->zeroing = s & 0x80;
    l->vector_length = s >> 5 & 3;
    l->evex_b = s & 0x10;
    l->v4 = !(s & 8);
    l->mask = s & 7;
    return i + 4;
}

/* The byte that follows tells VEX and its like from the instructions whose opcode they share; only outside of 64-bit
 * code, and for XOP, there are such. */
static u32 take_vector_prefix(const struct ins_facts *f, struct layout *l, u32 i)
{
    u8 byte = at(f, i), next = at(f, i + 1);
    bool shared = f->mode32 != CODE_64 && (next & 0xc0) != 0xc0;
    if (byte == 0x8f)
        return (next & 0x1f) >= 8 ? take_vex3(f, l, i) : i;
    if (shared)
        return i;
    return byte == 0xc5   ? take_vex2(f, l, i)
           : byte == 0xc4 ? take_vex3(f, l, i)
           : byte == 0x62 ? take_evex(f, l, i)
                          : i;
}

static u32 take_map(const struct ins_facts *f, struct layout *l, u32 i)
{
    if (l->space != SPACE_LEGACY || at(f, i) != 0x0f)
        return i;
    u8 next = at(f, i + 1);
    l->map = next == 0x38 ? 2 : next == 0x3a ? 3 : 1;
    if (next != 0x0f)
        return i + (l->map == 1 ? 1 : 2);
    l->space = SPACE_3DNOW; /* its opcode comes last */
    l->map = 0;
    return i + 1;
}

/* Sizes of what comes after the address: a displacement of a branch counts as one, as in XED's fields. */
static void take_sizes(const struct ins_facts *f, struct layout *l)
{
    u32 n = 0;
    for (u32 i = 0; i < f->noperands; i++) {
        const struct fact_operand *o = &f->op[i];
        if (o->kind == FACT_IMM && o->visibility != FACT_IMPLICIT && o->visibility != FACT_SUPPRESSED)
            *(n++ ? &l->imm2_bytes : &l->imm_bytes) = (u8)((o->bits + 7) / 8);
        else if (o->kind == FACT_BRANCH)
            l->disp_bytes = (u8)(o->bits / 8);
        else if (o->kind == FACT_POINTER)
            l->disp_bytes = f->operand_bits == 16 ? 2 : 4, l->imm_bytes = 2;
        else if ((o->kind == FACT_MEM || o->kind == FACT_AGEN) && o->disp_bits)
            l->disp_bytes = o->disp_bits / 8;
    }
}

static void take_rest(const struct ins_facts *f, struct layout *l, u32 i)
{
    take_sizes(f, l);
    u32 left = l->disp_bytes + l->imm_bytes + l->imm2_bytes + (l->space == SPACE_3DNOW);
    l->has_modrm = i + left < f->len;
    if (l->has_modrm) {
        l->at_modrm = (u8)i;
        l->modrm = at(f, i++);
        /* mov of control and debug registers: mod is ignored */
        bool control = l->space == SPACE_LEGACY && l->map == 1 && l->opcode >= 0x20 && l->opcode <= 0x23;
        l->has_sib = !control && l->modrm < 0xc0 && (l->modrm & 7) == 4 && f->address_bits != 16;
        if (l->has_sib) {
            l->at_sib = (u8)i;
            l->sib = at(f, i++);
        }
    }
    if (l->disp_bytes)
        l->at_disp = (u8)i;
    i += l->disp_bytes;
    if (l->imm_bytes)
        l->at_imm = (u8)i;
    i += l->imm_bytes;
    if (l->imm2_bytes)
        l->at_imm2 = (u8)i;
    if (l->space == SPACE_3DNOW)
        l->opcode = at(f, f->len - 1u), l->at_opcode = (u8)(f->len - 1);
}

void layout_of(const struct ins_facts *f, struct layout *l)
{
    *l = (struct layout){ .vvvv = 15 };
    u32 i = take_map(f, l, take_vector_prefix(f, l, take_prefixes(f, l)));
    l->at_opcode = (u8)i;
    l->opcode = at(f, i);
    take_rest(f, l, i + 1);
}

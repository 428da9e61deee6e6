/* SPDX-License-Identifier: Apache-2.0
 * The fields of a decoded instruction (xed3_operand_get_*), filled from what the decoder has found and from the bytes.
 * Works on the caller's structures; no state, no lock. */
#include "api/xed_internal.h"
#include "forms.h"
#include "layout.h"
#include "linchpin/reg.h"
#include "regs.h"
#include "xed_names.h"

#include <string.h>

static u16 xed_reg_number(u16 reg) { return xed_reg_from_zydis(regs_to_zydis(reg)); }
static u8 width_code(u32 bits) { return bits == 64 ? 3 : bits == 32 ? 2 : bits == 16 ? 1 : 0; }

static void fill_prefixes(xed_operand_storage_t *s, const struct layout *l)
{
    static const struct { u8 byte, ovd; } segs[] = {{0x2e, 1}, {0x3e, 2}, {0x26, 3}, {0x64, 4}, {0x65, 5}, {0x36, 6}};
    bool ignored = s->mode == 2 && l->seg != 0x64 && l->seg != 0x65;
    for (u32 i = 0; i < ARRAY_LEN(segs) && !ignored; i++)
        if (segs[i].byte == l->seg)
            s->seg_ovd = segs[i].ovd;
    s->ild_seg = ignored ? 0 : l->seg;
    s->hint = l->seg == 0x2e ? 1 : l->seg == 0x3e ? 2 : 0;
    s->lock = l->lock;
    s->rep = l->last_rep;
    s->first_f2f3 = l->first_rep;
    s->last_f2f3 = l->last_rep;
    s->ild_f2 = l->f2;
    s->ild_f3 = l->f3;
    s->prefix66 = l->osz;
    s->asz = l->asz;
    s->nseg_prefixes = l->nseg;
    s->nrexes = l->nrex;
    s->nprefixes = (u8)(l->nlegacy + l->nrex);
    s->rex = l->rex != 0;
    s->rexw = l->w;
    s->rexr = l->r;
    s->rexx = l->x;
    s->rexb = l->b;
}

static bool is_scalar(const xed_decoded_inst_t *d)
{
    return d->_inst && xed_inst_get_attribute(d->_inst, XED_ATTRIBUTE_SIMD_SCALAR);
}

static void fill_vector(xed_decoded_inst_t *d, const struct ins_facts *f, const struct layout *l)
{
    xed_operand_storage_t *s = &d->_operands;
    s->vexvalid = l->space <= SPACE_XOP ? l->space : 0;
    if (!s->vexvalid)
        return;
    s->vexdest3 = l->vvvv >> 3;
    s->vexdest210 = l->vvvv & 7;
    s->vex_prefix = l->pp == 2 ? 3 : l->pp == 3 ? 2 : l->pp;
    s->vl = l->vector_length;
    if (l->space != SPACE_EVEX)
        return;
    s->must_use_evex = 1;
    s->bcast = (u8)forms_broadcast(f);
    s->nd = l->evex_b;
    s->vexdest4 = l->v4;
    s->rexr4 = l->r4;
    s->zeroing = l->zeroing;
    s->mask = l->mask;
    s->bcrc = l->evex_b;
    s->llrc = l->vector_length;
    s->ubit = l->ubit;
    s->sae = f->sae || f->rounding;
    s->roundc = f->rounding; /* both count from 1 in the order of the encoding */
    s->vl = f->rounding || f->sae ? (is_scalar(d) ? 0 : 2) : l->vector_length;
}

static bool uses_vectors(const struct ins_facts *f)
{
    for (u32 i = 0; i < f->noperands; i++) {
        u16 cls = f->op[i].kind == FACT_REG ? regs_class(f->op[i].reg) : (u16)REG_CLASS_NONE;
        if (cls >= REG_CLASS_MM && cls <= REG_CLASS_ZMM)
            return true;
    }
    return false;
}

static void fill_places(xed_operand_storage_t *s, const struct ins_facts *f, const struct layout *l)
{
    s->map = l->space == SPACE_3DNOW ? 4 : l->map;
    s->amd3dnow = l->space == SPACE_3DNOW;
    s->nominal_opcode = l->opcode;
    s->pos_nominal_opcode = l->at_opcode;
    s->srm = l->space == SPACE_LEGACY ? l->opcode & 7 : 0;
    s->has_modrm = l->has_modrm;
    s->has_sib = l->has_sib;
    s->pos_modrm = l->at_modrm;
    s->pos_sib = l->at_sib;
    s->pos_disp = l->at_disp;
    s->pos_imm = l->at_imm;
    s->pos_imm1 = l->at_imm2;
    s->imm1_bytes = l->imm2_bytes;
    s->modrm_byte = l->modrm;
    s->mod = l->modrm >> 6;
    s->reg = l->modrm >> 3 & 7;
    s->rm = l->modrm & 7;
    if (l->has_sib) {
        s->sibscale = l->sib >> 6;
        s->sibindex = l->sib >> 3 & 7;
        s->sibbase = l->sib & 7;
        s->scale = 1;
    }
    s->max_bytes = f->len;
}

static void fill_memory(xed_operand_storage_t *s, const struct ins_facts *f, const struct fact_operand *o, u32 n)
{
    if (n) {
        s->base1 = xed_reg_number(o->base);
        s->seg1 = xed_segment(f, o);
        s->using_default_segment1 = !o->seg || o->seg == REG_INVALID_;
        return;
    }
    s->base0 = xed_reg_number(o->base);
    s->index = xed_reg_number(o->index);
    s->scale = o->index != REG_INVALID_ ? o->scale : s->scale;
    s->seg0 = xed_segment(f, o);
    s->using_default_segment0 = !o->seg || o->seg == REG_INVALID_;
    if (o->disp_bits) {
        s->disp = o->disp;
        s->disp_width = s->need_memdisp = o->disp_bits;
    }
}

static void fill_constant(xed_operand_storage_t *s, const struct ins_facts *f, const struct fact_operand *o, u32 n)
{
    if (n) {
        s->imm1 = 1;
        s->uimm1 = (u8)o->imm;
        return;
    }
    s->imm0 = 1;
    s->imm_width = (u8)o->bits;
    s->imm0signed = xed_constant_is_signed(f, o);
    s->uimm0 = o->bits && o->bits < 64 ? o->imm & ((1ull << o->bits) - 1) : o->imm;
    s->esrc = o->bits == 8 ? (u8)(s->uimm0 >> 4) : 0;
}

static u16 *reg_field(xed_operand_storage_t *s, u32 name)
{
    u16 *regs[] = {&s->reg0, &s->reg1, &s->reg2, &s->reg3, &s->reg4, &s->reg5, &s->reg6, &s->reg7, &s->reg8, &s->reg9};
    return name >= XED_OPERAND_REG0 && name <= XED_OPERAND_REG9 ? regs[name - XED_OPERAND_REG0] : NULL;
}

/* Registers that the form itself names: some the decoder does not have (MSRS, X87CONTROL), some it has in another
 * order. */
static void fill_named(xed_operand_storage_t *s, const struct ins_facts *f, const xed_inst_t *form)
{
    for (u32 i = 0; i < form->_noperands; i++) {
        const xed_operand_t *o = forms_operand(form, i);
        u16 *field = reg_field(s, o->_name);
        if (!field)
            continue;
        if (o->_type == XED_OPERAND_TYPE_REG)
            *field = o->_value;
        else if (xed_operand_nonterminal_name(o) == XED_NONTERMINAL_RFLAGS)
            *field = f->mode32 == CODE_64 ? XED_REG_RFLAGS : f->mode32 == CODE_32 ? XED_REG_EFLAGS : XED_REG_FLAGS;
    }
}

static void fill_operand(xed_operand_storage_t *s, const struct ins_facts *f, const struct fact_operand *o, u32 *nmem,
                         u32 *nimm)
{
    switch (o->kind) {
    case FACT_REG:
        if (reg_field(s, o->name))
            *reg_field(s, o->name) = xed_reg_number(o->reg);
        break;
    case FACT_AGEN: s->agen = 1; fill_memory(s, f, o, (*nmem)++); break;
    case FACT_MEM: *(*nmem ? &s->mem1 : &s->mem0) = 1; fill_memory(s, f, o, (*nmem)++); break;
    case FACT_IMM: fill_constant(s, f, o, (*nimm)++); break;
    case FACT_BRANCH:
        s->relbr = 1;
        s->disp = (s64)o->imm;
        s->brdisp_width = (u8)o->bits;
        break;
    case FACT_POINTER:
        s->ptr = 1;
        s->disp = (s64)o->imm;
        s->brdisp_width = f->operand_bits == 16 ? 16 : 32;
        s->uimm0 = o->seg_selector;
        s->imm_width = 16;
        break;
    }
}

/* What stays of the fields when another instruction is decoded: the mode and the features. */
static void keep_state(xed_operand_storage_t *s, const xed_operand_storage_t *was)
{
    *s = (xed_operand_storage_t){ .mode = was->mode, .smode = was->smode, .realmode = was->realmode, .chip = was->chip,
                                  .cldemote = was->cldemote, .mpxmode = was->mpxmode, .modep5 = was->modep5,
                                  .modep55c = was->modep55c, .mode_first_prefix = was->mode_first_prefix,
                                  .mode_short_ud0 = was->mode_short_ud0, .no_apx = was->no_apx, .no_vex = was->no_vex,
                                  .no_evex = was->no_evex };
}

/* The prefix counts where it is not a part of the opcode and not ignored. Instructions on bytes have the size that
 * others would have. */
static void fill_sizes(xed_operand_storage_t *s, const struct ins_facts *f, const struct layout *l)
{
    u32 plain = f->mode32 == CODE_16 ? 16 : 32, other = f->mode32 == CODE_16 ? 32 : 16;
    u32 bits = f->operand_bits == 8 ? (l->w ? 64 : l->osz ? other : plain) : f->operand_bits;
    s->eosz = width_code(bits);
    s->easz = width_code(f->address_bits);
    s->osz = l->osz && l->space == SPACE_LEGACY && (bits == other || l->w) && !uses_vectors(f);
}

/* The field has a displacement of one byte as it is encoded: EVEX multiplies it by the size of what is accessed. */
static void fill_scale(xed_decoded_inst_t *d, const struct ins_facts *f, const struct layout *l)
{
    d->lp_more[0] = 1;
    if (l->space != SPACE_EVEX || d->_operands.disp_width != 8 || !f->bytes[l->at_disp])
        return;
    s8 byte = (s8)f->bytes[l->at_disp];
    d->lp_more[0] = (u64)(d->_operands.disp / byte);
    d->_operands.disp = byte;
}

void xed_fill(xed_decoded_inst_t *d)
{
    const struct ins_facts *f = xed_facts(d);
    xed_operand_storage_t *s = &d->_operands, was = *s;
    struct layout l;
    u32 nmem = 0, nimm = 0;
    keep_state(s, &was);
    d->_inst = forms_find(f);
    d->_decoded_length = f->len;
    d->_n_operand_order = 0;
    if (f->flags & FACT_FLAG_BAD)
        return;
    layout_of(f, &l);
    fill_prefixes(s, &l);
    fill_vector(d, f, &l);
    fill_places(s, f, &l);
    s->lzcnt = s->tzcnt = s->p4 = 1;
    fill_sizes(s, f, &l);
    s->iclass = f->iclass;
    for (u32 i = 0; i < f->noperands; i++)
        fill_operand(s, f, &f->op[i], &nmem, &nimm);
    fill_scale(d, f, &l);
    if (d->_inst)
        fill_named(s, f, d->_inst);
}

/* SPDX-License-Identifier: Apache-2.0
 * xed_operand_values_set_* and xed_decoded_inst_set_*, what they are read by, descriptions for the encoder and patches.
 * Works on the caller's structures; no state, no lock. */
#include "api/xed_internal.h"
#include "forms.h"
#include "layout.h"

#include <string.h>

#include "api/field_table.h"

/* --- constants and displacements ----------------------------------------------------------------------- */

static u64 cut(u64 value, u32 bits) { return bits && bits < 64 ? value & ((1ull << bits) - 1) : value; }

void xed_operand_values_set_immediate_unsigned_bits(xed_operand_values_t *p, xed_uint64_t value, unsigned int bits)
{
    p->_operands.imm0 = 1;
    p->_operands.imm0signed = 0;
    p->_operands.uimm0 = cut(value, bits);
    p->_operands.imm_width = (u8)bits;
}
void xed_operand_values_set_immediate_signed_bits(xed_operand_values_t *p, xed_int32_t value, unsigned int bits)
{
    xed_operand_values_set_immediate_unsigned_bits(p, (u64)(s64)value, bits);
    p->_operands.imm0signed = 1;
}
void xed_operand_values_set_immediate_unsigned(xed_operand_values_t *p, xed_uint64_t value, unsigned int bytes)
{
    xed_operand_values_set_immediate_unsigned_bits(p, value, 8 * bytes);
}
void xed_operand_values_set_immediate_signed(xed_operand_values_t *p, xed_int32_t value, unsigned int bytes)
{
    xed_operand_values_set_immediate_signed_bits(p, value, 8 * bytes);
}
void xed_operand_values_set_memory_displacement_bits(xed_operand_values_t *p, xed_int64_t value, unsigned int bits)
{
    p->_operands.disp = value;
    p->_operands.disp_width = (u8)bits;
}
void xed_operand_values_set_memory_displacement(xed_operand_values_t *p, xed_int64_t value, unsigned int bytes)
{
    xed_operand_values_set_memory_displacement_bits(p, value, 8 * bytes);
}
void xed_operand_values_set_branch_displacement_bits(xed_operand_values_t *p, xed_int64_t value, unsigned int bits)
{
    p->_operands.disp = value;
    p->_operands.brdisp_width = (u8)bits;
}
void xed_operand_values_set_branch_displacement(xed_operand_values_t *p, xed_int64_t value, unsigned int bytes)
{
    xed_operand_values_set_branch_displacement_bits(p, value, 8 * bytes);
}
void xed_operand_values_zero_immediate(xed_operand_values_t *p)
{
    p->_operands.imm0 = p->_operands.imm0signed = p->_operands.imm_width = 0;
    p->_operands.uimm0 = 0;
}
void xed_operand_values_zero_memory_displacement(xed_operand_values_t *p)
{
    xed_operand_values_set_memory_displacement_bits(p, 0, 0);
}
void xed_operand_values_zero_branch_displacement(xed_operand_values_t *p)
{
    xed_operand_values_set_branch_displacement_bits(p, 0, 0);
}

void xed_decoded_inst_set_scale(xed_decoded_inst_t *d, xed_uint_t scale) { d->_operands.scale = (u8)scale; }
void xed_decoded_inst_set_memory_displacement(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bytes)
{
    xed_operand_values_set_memory_displacement(d, value, bytes);
}
void xed_decoded_inst_set_memory_displacement_bits(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bits)
{
    xed_operand_values_set_memory_displacement_bits(d, value, bits);
}
void xed_decoded_inst_set_branch_displacement(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bytes)
{
    xed_operand_values_set_branch_displacement(d, value, bytes);
}
void xed_decoded_inst_set_branch_displacement_bits(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bits)
{
    xed_operand_values_set_branch_displacement_bits(d, value, bits);
}
void xed_decoded_inst_set_immediate_signed(xed_decoded_inst_t *d, xed_int32_t value, xed_uint_t bytes)
{
    xed_operand_values_set_immediate_signed(d, value, bytes);
}
void xed_decoded_inst_set_immediate_signed_bits(xed_decoded_inst_t *d, xed_int32_t value, xed_uint_t bits)
{
    xed_operand_values_set_immediate_signed_bits(d, value, bits);
}
void xed_decoded_inst_set_immediate_unsigned(xed_decoded_inst_t *d, xed_uint64_t value, xed_uint_t bytes)
{
    xed_operand_values_set_immediate_unsigned(d, value, bytes);
}
void xed_decoded_inst_set_immediate_unsigned_bits(xed_decoded_inst_t *d, xed_uint64_t value, xed_uint_t bits)
{
    xed_operand_values_set_immediate_unsigned_bits(d, value, bits);
}

/* --- other fields -------------------------------------------------------------------------------------- */

void xed_operand_values_init(xed_operand_values_t *p) { xed_decoded_inst_zero(p); }
void xed_operand_values_init_set_mode(xed_operand_values_t *p, const xed_state_t *state)
{
    xed_decoded_inst_zero_set_mode(p, state);
}
void xed_operand_values_init_keep_mode(xed_operand_values_t *p, const xed_operand_values_t *from)
{
    xed_decoded_inst_zero_keep_mode_from_operands(p, from);
}
void xed_operand_values_set_mode(xed_operand_values_t *p, const xed_state_t *state)
{
    xed_decoded_inst_set_mode(p, state->mmode, state->stack_addr_width);
}
void xed_operand_values_set_lock(xed_operand_values_t *p) { p->_operands.lock = 1; }
void xed_operand_values_clear_rep(xed_operand_values_t *p) { p->_operands.rep = 0; }
void xed_operand_values_set_iclass(xed_operand_values_t *p, xed_iclass_enum_t iclass)
{
    p->_operands.iclass = (u16)iclass;
}
void xed_operand_values_set_effective_operand_width(xed_operand_values_t *p, unsigned int bits)
{
    xed_encoder_request_set_effective_operand_width(p, bits);
}
void xed_operand_values_set_effective_address_width(xed_operand_values_t *p, unsigned int bits)
{
    xed_encoder_request_set_effective_address_size(p, bits);
}
void xed_operand_values_set_memory_operand_length(xed_operand_values_t *p, unsigned int bytes)
{
    p->_operands.mem_width = (u16)bytes;
}
void xed_operand_values_set_relbr(xed_operand_values_t *p) { p->_operands.relbr = 1; }
void xed_operand_values_set_absbr(xed_operand_values_t *p) { p->_operands.absbr = 1; }
void xed_operand_values_set_operand_reg(xed_operand_values_t *p, xed_operand_enum_t name, xed_reg_enum_t reg)
{
    xed_encoder_request_set_reg(p, name, reg);
}
void xed_operand_values_set_base_reg(xed_operand_values_t *p, unsigned int n, xed_reg_enum_t reg)
{
    xed_encoder_request_set_reg(p, n ? XED_OPERAND_BASE1 : XED_OPERAND_BASE0, reg);
}
void xed_operand_values_set_seg_reg(xed_operand_values_t *p, unsigned int n, xed_reg_enum_t reg)
{
    xed_encoder_request_set_reg(p, n ? XED_OPERAND_SEG1 : XED_OPERAND_SEG0, reg);
}
void xed_operand_values_set_index_reg(xed_operand_values_t *p, unsigned int n, xed_reg_enum_t reg)
{
    if (!n)
        xed_encoder_request_set_reg(p, XED_OPERAND_INDEX, reg);
}
void xed_operand_values_set_scale(xed_operand_values_t *p, xed_uint_t n, xed_uint_t scale)
{
    if (!n)
        p->_operands.scale = (u8)scale;
}
void xed_operand_values_zero_segment_override(xed_operand_values_t *p)
{
    p->_operands.seg_ovd = 0;
    p->_operands.seg0 = p->_operands.seg1 = XED_REG_INVALID;
}

/* --- fields by name ------------------------------------------------------------------------------------ */

void xed3_set_generic_operand(xed_decoded_inst_t *d, xed_operand_enum_t name, xed_uint32_t value)
{
    xed_operand_storage_t *s = &d->_operands;
    switch (name) {
#define SET(NAME, field) \
    case XED_OPERAND_##NAME: s->field = (__typeof__(s->field))value; break;
        XED_FIELDS(SET)
    default: break;
    }
}

/* out has the type of what xed3_operand_get_* of the field gives; truth values and small numbers are xed_bits_t. */
void xed3_get_generic_operand(const xed_decoded_inst_t *d, xed_operand_enum_t name, void *out)
{
    switch (name) {
#define GET(NAME, field) \
    case XED_OPERAND_##NAME: { \
        __typeof__(xed3_operand_get_##field(d)) value = xed3_operand_get_##field(d); \
        memcpy(out, &value, sizeof value); \
        break; \
    }
        XED_FIELDS(GET)
    default: break;
    }
}

/* --- descriptions for the encoder ---------------------------------------------------------------------- */

struct order { u32 reg, memory; };

static void add_memory(xed_encoder_request_t *out, const xed_encoder_instruction_t *in,
                       const xed_encoder_operand_t *o, struct order *n)
{
    xed_operand_storage_t *s = &out->_operands;
    if (n->memory++) {
        s->mem1 = 1;
        s->base1 = (u16)o->u.mem.base;
        s->seg1 = (u16)o->u.mem.seg;
        xed_encoder_request_set_operand_order(out, out->_n_operand_order, XED_OPERAND_MEM1);
        return;
    }
    bool agen = in->iclass == XED_ICLASS_LEA;
    *(agen ? &s->agen : &s->mem0) = 1;
    s->base0 = (u16)o->u.mem.base;
    s->seg0 = (u16)o->u.mem.seg;
    s->index = (u16)o->u.mem.index;
    s->scale = (u8)o->u.mem.scale;
    s->mem_width = (u16)(o->width_bits / 8);
    xed_operand_values_set_memory_displacement_bits(out, o->u.mem.disp.displacement, o->u.mem.disp.displacement_bits);
    xed_encoder_request_set_operand_order(out, out->_n_operand_order, agen ? XED_OPERAND_AGEN : XED_OPERAND_MEM0);
}

static void add_branch(xed_encoder_request_t *out, const xed_encoder_operand_t *o, xed_operand_enum_t name)
{
    out->_operands.relbr = name == XED_OPERAND_RELBR;
    out->_operands.absbr = name == XED_OPERAND_ABSBR;
    out->_operands.ptr = name == XED_OPERAND_PTR;
    xed_operand_values_set_branch_displacement_bits(out, o->u.brdisp, o->width_bits);
    xed_encoder_request_set_operand_order(out, out->_n_operand_order, name);
}

static bool add_operand(xed_encoder_request_t *out, const xed_encoder_instruction_t *in,
                        const xed_encoder_operand_t *o, struct order *n)
{
    switch (o->type) {
    case XED_ENCODER_OPERAND_TYPE_REL_BRDISP: add_branch(out, o, XED_OPERAND_RELBR); return true;
    case XED_ENCODER_OPERAND_TYPE_ABS_BRDISP: add_branch(out, o, XED_OPERAND_ABSBR); return true;
    case XED_ENCODER_OPERAND_TYPE_PTR: add_branch(out, o, XED_OPERAND_PTR); return true;
    case XED_ENCODER_OPERAND_TYPE_REG: {
        xed_operand_enum_t name = (xed_operand_enum_t)(XED_OPERAND_REG0 + n->reg++);
        xed_encoder_request_set_reg(out, name, o->u.reg);
        xed_encoder_request_set_operand_order(out, out->_n_operand_order, name);
        return true;
    }
    case XED_ENCODER_OPERAND_TYPE_IMM0: case XED_ENCODER_OPERAND_TYPE_SIMM0:
        xed_operand_values_set_immediate_unsigned_bits(out, o->u.imm0, o->width_bits);
        out->_operands.imm0signed = o->type == XED_ENCODER_OPERAND_TYPE_SIMM0;
        if (out->_operands.ptr) /* the selector of a far pointer is a part of it */
            return true;
        xed_encoder_request_set_operand_order(out, out->_n_operand_order, XED_OPERAND_IMM0);
        return true;
    case XED_ENCODER_OPERAND_TYPE_IMM1:
        xed_encoder_request_set_uimm1(out, o->u.imm1);
        xed_encoder_request_set_operand_order(out, out->_n_operand_order, XED_OPERAND_IMM1);
        return true;
    case XED_ENCODER_OPERAND_TYPE_MEM: add_memory(out, in, o, n); return true;
    case XED_ENCODER_OPERAND_TYPE_SEG0: out->_operands.seg0 = (u16)o->u.reg; return true;
    case XED_ENCODER_OPERAND_TYPE_SEG1: out->_operands.seg1 = (u16)o->u.reg; return true;
    case XED_ENCODER_OPERAND_TYPE_OTHER: xed3_set_generic_operand(out, o->u.s.operand_name, o->u.s.value); return true;
    default: return false;
    }
}

xed_bool_t xed_convert_to_encoder_request(xed_encoder_request_t *out, xed_encoder_instruction_t *in)
{
    struct order n = {0, 0};
    if (in->noperands > XED_ENCODER_OPERANDS_MAX)
        return 0;
    xed_operand_values_set_mode(out, &in->mode);
    xed_encoder_request_set_iclass(out, in->iclass);
    if (in->effective_operand_width)
        xed_encoder_request_set_effective_operand_width(out, in->effective_operand_width);
    if (in->effective_address_width)
        xed_encoder_request_set_effective_address_size(out, in->effective_address_width);
    if (in->prefixes.s.rep || in->prefixes.s.repne)
        out->_operands.rep = in->prefixes.s.rep ? 3 : 2;
    for (u32 i = 0; i < in->noperands; i++)
        if (!add_operand(out, in, &in->operands[i], &n))
            return 0;
    return 1;
}

/* --- patches ------------------------------------------------------------------------------------------- */

static xed_bool_t patch(xed_uint8_t *bytes, u32 at, u32 size, u64 value, u32 bits)
{
    if (!at || !size || bits != 8 * size)
        return 0;
    memcpy(bytes + at, &value, size);
    return 1;
}

xed_bool_t xed_patch_disp(xed_decoded_inst_t *d, xed_uint8_t *bytes, xed_enc_displacement_t disp)
{
    struct layout l;
    layout_of(xed_facts(d), &l);
    if (d->_operands.brdisp_width)
        return 0;
    return patch(bytes, l.at_disp, l.disp_bytes, (u64)disp.displacement, disp.displacement_bits);
}

xed_bool_t xed_patch_brdisp(xed_decoded_inst_t *d, xed_uint8_t *bytes, xed_encoder_operand_t disp)
{
    struct layout l;
    layout_of(xed_facts(d), &l);
    if (!d->_operands.brdisp_width)
        return 0;
    return patch(bytes, l.at_disp, l.disp_bytes, (u64)(s64)disp.u.brdisp, disp.width_bits);
}

xed_bool_t xed_patch_imm0(xed_decoded_inst_t *d, xed_uint8_t *bytes, xed_encoder_operand_t imm0)
{
    struct layout l;
    layout_of(xed_facts(d), &l);
    return patch(bytes, l.at_imm, l.imm_bytes, imm0.u.imm0, imm0.width_bits);
}

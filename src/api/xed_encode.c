/* SPDX-License-Identifier: Apache-2.0
 * xed_encode: from the fields of a request to bytes (request.h). Works on the caller's structures; no state. */
#include "api/xed_internal.h"
#include "forms.h"
#include "layout.h"
#include "request.h"

#include <string.h>

/* --- from fields to a request -------------------------------------------------------------------------- */

static u32 code_bits(u32 code) { return code ? 8u << code : 0; }

/* A segment that the address would have anyway is not asked for. */
static u16 other_segment(const xed_operand_storage_t *s, u16 seg, u16 base)
{
    if (s->mode == 2)
        return seg == XED_REG_FS || seg == XED_REG_GS ? seg : 0;
    bool stack = base == XED_REG_ESP || base == XED_REG_EBP || base == XED_REG_BP || base == XED_REG_SP;
    return seg == (stack ? XED_REG_SS : XED_REG_DS) ? 0 : seg;
}

static void take_memory(struct request_operand *o, const xed_operand_storage_t *s, u32 name)
{
    bool second = name == XED_OPERAND_MEM1;
    const char *iclass = xed_iclass_enum_t2str((xed_iclass_enum_t)s->iclass);
    o->kind = REQUEST_MEM;
    o->address_only = name == XED_OPERAND_AGEN || !strncmp(iclass, "PREFETCH", 8);
    o->base = second ? s->base1 : s->base0;
    o->index = second ? 0 : s->index;
    o->scale = s->scale;
    o->seg = other_segment(s, second ? s->seg1 : s->seg0, o->base);
    o->bytes = s->mem_width;
    if (second)
        return;
    o->bits = s->disp_width;
    o->value = (u64)s->disp;
}

/* A constant that the form itself has (shifts by one) is in no byte. */
static bool is_implied(const xed_decoded_inst_t *r)
{
    for (u32 i = 0; r->_inst && i < r->_inst->_noperands; i++) {
        const xed_operand_t *o = forms_operand(r->_inst, i);
        if (o->_name == XED_OPERAND_IMM0 && o->_operand_visibility == XED_OPVIS_IMPLICIT)
            return true;
    }
    return false;
}

static bool take_operand(struct request_operand *o, const xed_decoded_inst_t *r, u32 name)
{
    const xed_operand_storage_t *s = &r->_operands;
    *o = (struct request_operand){ .kind = REQUEST_IMM };
    switch (name) {
    case XED_OPERAND_MEM0: case XED_OPERAND_MEM1: case XED_OPERAND_AGEN: take_memory(o, s, name); return true;
    case XED_OPERAND_IMM0:
        o->value = s->uimm0;
        o->bits = s->imm_width;
        o->is_signed = s->imm0signed;
        o->fixed = is_implied(r);
        return true;
    case XED_OPERAND_IMM1:
        o->value = s->uimm1;
        o->bits = 8;
        return true;
    case XED_OPERAND_RELBR: case XED_OPERAND_ABSBR: case XED_OPERAND_PTR:
        o->kind = name == XED_OPERAND_PTR ? REQUEST_POINTER : REQUEST_BRANCH;
        o->value = (u64)s->disp;
        o->bits = s->brdisp_width;
        o->selector = (u16)s->uimm0;
        return true;
    }
    o->kind = REQUEST_REG;
    o->reg = (u16)xed_decoded_inst_get_reg(r, (xed_operand_enum_t)name);
    return o->reg != XED_REG_INVALID;
}

static u8 broadcast_elements(u32 bcast)
{
    static const u8 elements[] = {[1] = 16, [3] = 8, [5] = 8, [10] = 4, [11] = 2, [13] = 4, [14] = 8, [15] = 16,
                                  [16] = 32, [22] = 2, [26] = 2, [27] = 4};
    return bcast < ARRAY_LEN(elements) ? elements[bcast] : 0;
}

static bool take_request(struct request *q, const xed_decoded_inst_t *r)
{
    const xed_operand_storage_t *s = &r->_operands;
    *q = (struct request){
        .mode = s->mode == 2 ? CODE_64 : s->mode == 1 ? CODE_32 : CODE_16,
        .iclass = s->iclass,
        .operand_bits = (u16)code_bits(s->eosz),
        .address_bits = (u16)code_bits(s->easz),
        .lock = s->lock,
        .rep = s->rep,
        .hint = s->hint,
        .vex = s->vexvalid == 1, .evex = s->vexvalid == 2 || s->must_use_evex, .xop = s->vexvalid == 3,
        .zeroing = s->zeroing, .sae = s->sae, .rounding = s->roundc, .broadcast = broadcast_elements(s->bcast),
    };
    q->seg = other_segment(s, s->seg0, s->base0); /* of memory that no operand names, as strings */
    if (!q->seg && s->mem1)
        q->seg = other_segment(s, s->seg1, s->base1);
    for (u32 i = 0; i < r->_n_operand_order; i++) {
        u32 name = r->_operand_order[i];
        if (q->noperands == REQUEST_MAX_OPERANDS || !take_operand(&q->op[q->noperands++], r, name))
            return false;
    }
    return true;
}

/* --- encoding ------------------------------------------------------------------------------------------ */

xed_error_enum_t xed_encode(xed_encoder_request_t *r, xed_uint8_t *out, const unsigned int count, unsigned int *length)
{
    struct request q;
    u8 bytes[XED_MAX_INSTRUCTION_BYTES];
    *length = 0;
    u32 n = take_request(&q, r) ? request_encode(&q, bytes) : 0;
    if (!n)
        return XED_ERROR_GENERAL_ERROR;
    if (n > count)
        return XED_ERROR_BUFFER_TOO_SHORT;
    memcpy(out, bytes, n);
    *length = n;
    return XED_ERROR_NONE;
}

/* The forms that the manuals of the processors recommend. */
xed_error_enum_t xed_encode_nop(xed_uint8_t *out, const unsigned int bytes)
{
    static const u8 nops[9][9] = {
        {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40}, {0x0f, 0x1f, 0x44}, {0x66, 0x0f, 0x1f, 0x44},
        {0x0f, 0x1f, 0x80}, {0x0f, 0x1f, 0x84}, {0x66, 0x0f, 0x1f, 0x84},
    };
    if (!bytes || bytes > ARRAY_LEN(nops))
        return XED_ERROR_GENERAL_ERROR;
    memcpy(out, nops[bytes - 1], bytes);
    return XED_ERROR_NONE;
}

/* --- requests ------------------------------------------------------------------------------------------ */

void xed_encoder_request_zero(xed_encoder_request_t *p) { xed_decoded_inst_zero(p); }
void xed_encoder_request_zero_set_mode(xed_encoder_request_t *p, const xed_state_t *state)
{
    xed_decoded_inst_zero_set_mode(p, state);
}

/* The operands that the text of the instruction has, in their order. What the tool has set before stays. */
void xed_encoder_request_init_from_decode(xed_decoded_inst_t *d)
{
    const struct ins_facts *f = xed_facts(d);
    d->_n_operand_order = 0;
    for (u32 i = 0; d->_inst && i < d->_inst->_noperands; i++) {
        const xed_operand_t *o = forms_operand(d->_inst, i);
        if (o->_operand_visibility != XED_OPVIS_SUPPRESSED && d->_n_operand_order < XED_ENCODE_ORDER_MAX_OPERANDS)
            d->_operand_order[d->_n_operand_order++] = o->_name;
    }
    for (u32 i = 0; d->_inst && i < f->noperands; i++) {
        const xed_operand_t *o = forms_operand(d->_inst, i);
        if (f->op[i].kind == FACT_MEM && f->op[i].visibility != FACT_SUPPRESSED)
            d->_operands.mem_width = (u16)(f->op[i].bits / 8);
        else if (f->op[i].kind == FACT_AGEN && o && o->_name == XED_OPERAND_MEM0)
            d->_operands.mem_width = (u16)(forms_width_bits(o->_oc2, code_bits(d->_operands.eosz)) / 8);
    }
    d->_operands.iclass = f->iclass;
}

void xed_encode_request_print(const xed_encoder_request_t *p, char *out, xed_uint_t bytes)
{
    size_t n = 0;
    if (!bytes)
        return;
    n = (size_t)base_format(out, bytes, "%s", xed_iclass_enum_t2str((xed_iclass_enum_t)p->_operands.iclass));
    for (u32 i = 0; i < p->_n_operand_order && n + 1 < bytes; i++) {
        u32 name = p->_operand_order[i];
        bool reg = xed_operand_is_register((xed_operand_enum_t)name);
        n += (size_t)base_format(out + n, bytes - n, " %s%s%s", xed_operand_enum_t2str((xed_operand_enum_t)name),
                                 reg ? ":" : "",
                                 reg ? xed_reg_enum_t2str(xed_decoded_inst_get_reg(p, (xed_operand_enum_t)name)) : "");
    }
}

xed_iclass_enum_t xed_encoder_request_get_iclass(const xed_encoder_request_t *p)
{
    return (xed_iclass_enum_t)p->_operands.iclass;
}
void xed_encoder_request_set_iclass(xed_encoder_request_t *p, xed_iclass_enum_t iclass)
{
    p->_operands.iclass = (u16)iclass;
}
void xed_encoder_request_set_repne(xed_encoder_request_t *p) { p->_operands.rep = 2; }
void xed_encoder_request_set_rep(xed_encoder_request_t *p) { p->_operands.rep = 3; }
void xed_encoder_request_clear_rep(xed_encoder_request_t *p) { p->_operands.rep = 0; }

static u8 size_code(u32 bits) { return bits == 64 ? 3 : bits == 32 ? 2 : bits == 16 ? 1 : 0; }
void xed_encoder_request_set_effective_operand_width(xed_encoder_request_t *p, xed_uint_t bits)
{
    p->_operands.eosz = size_code(bits);
}
void xed_encoder_request_set_effective_address_size(xed_encoder_request_t *p, xed_uint_t bits)
{
    p->_operands.easz = size_code(bits);
}

void xed_encoder_request_set_reg(xed_encoder_request_t *p, xed_operand_enum_t name, xed_reg_enum_t reg)
{
    xed_operand_storage_t *s = &p->_operands;
    u16 *regs[] = {&s->reg0, &s->reg1, &s->reg2, &s->reg3, &s->reg4, &s->reg5, &s->reg6, &s->reg7, &s->reg8, &s->reg9};
    if (xed_operand_is_register(name))
        *regs[name - XED_OPERAND_REG0] = (u16)reg;
    else if (xed_operand_is_memory_addressing_register(name))
        *(name == XED_OPERAND_BASE0   ? &s->base0
          : name == XED_OPERAND_BASE1 ? &s->base1
          : name == XED_OPERAND_SEG0  ? &s->seg0
          : name == XED_OPERAND_SEG1  ? &s->seg1
                                      : &s->index) = (u16)reg;
}

void xed_encoder_request_zero_operand_order(xed_encoder_request_t *p) { p->_n_operand_order = 0; }
void xed_encoder_request_set_operand_order(xed_encoder_request_t *p, xed_uint_t n, xed_operand_enum_t name)
{
    if (n >= XED_ENCODE_ORDER_MAX_OPERANDS)
        return;
    p->_operand_order[n] = (u8)name;
    if (n >= p->_n_operand_order)
        p->_n_operand_order = (u8)(n + 1);
}
xed_operand_enum_t xed_encoder_request_get_operand_order(xed_encoder_request_t *p, xed_uint_t n)
{
    return n < p->_n_operand_order ? (xed_operand_enum_t)p->_operand_order[n] : XED_OPERAND_INVALID;
}
xed_uint_t xed_encoder_request_operand_order_entries(xed_encoder_request_t *p) { return p->_n_operand_order; }

void xed_encoder_request_set_relbr(xed_encoder_request_t *p) { p->_operands.relbr = 1; }
void xed_encoder_request_set_absbr(xed_encoder_request_t *p) { p->_operands.absbr = 1; }
void xed_encoder_request_set_ptr(xed_encoder_request_t *p) { p->_operands.ptr = 1; }
void xed_encoder_request_set_branch_displacement(xed_encoder_request_t *p, xed_int64_t displacement, xed_uint_t bytes)
{
    xed_operand_values_set_branch_displacement_bits(p, displacement, 8 * bytes);
}
void xed_encoder_request_set_uimm0_bits(xed_encoder_request_t *p, xed_uint64_t value, xed_uint_t bits)
{
    xed_operand_values_set_immediate_unsigned_bits(p, value, bits);
}
void xed_encoder_request_set_uimm0(xed_encoder_request_t *p, xed_uint64_t value, xed_uint_t bytes)
{
    xed_operand_values_set_immediate_unsigned_bits(p, value, 8 * bytes);
}
void xed_encoder_request_set_uimm1(xed_encoder_request_t *p, xed_uint8_t value)
{
    p->_operands.imm1 = 1;
    p->_operands.uimm1 = value;
}
void xed_encoder_request_set_simm(xed_encoder_request_t *p, xed_int32_t value, xed_uint_t bytes)
{
    xed_operand_values_set_immediate_signed_bits(p, value, 8 * bytes);
}
void xed_encoder_request_set_memory_displacement(xed_encoder_request_t *p, xed_int64_t displacement, xed_uint_t bytes)
{
    xed_operand_values_set_memory_displacement_bits(p, displacement, 8 * bytes);
}
void xed_encoder_request_set_agen(xed_encoder_request_t *p) { p->_operands.agen = 1; }
void xed_encoder_request_set_mem0(xed_encoder_request_t *p) { p->_operands.mem0 = 1; }
void xed_encoder_request_set_mem1(xed_encoder_request_t *p) { p->_operands.mem1 = 1; }
void xed_encoder_request_set_memory_operand_length(xed_encoder_request_t *p, xed_uint_t bytes)
{
    p->_operands.mem_width = (u16)bytes;
}
void xed_encoder_request_set_seg0(xed_encoder_request_t *p, xed_reg_enum_t reg) { p->_operands.seg0 = (u16)reg; }
void xed_encoder_request_set_seg1(xed_encoder_request_t *p, xed_reg_enum_t reg) { p->_operands.seg1 = (u16)reg; }
void xed_encoder_request_set_base0(xed_encoder_request_t *p, xed_reg_enum_t reg) { p->_operands.base0 = (u16)reg; }
void xed_encoder_request_set_base1(xed_encoder_request_t *p, xed_reg_enum_t reg) { p->_operands.base1 = (u16)reg; }
void xed_encoder_request_set_index(xed_encoder_request_t *p, xed_reg_enum_t reg) { p->_operands.index = (u16)reg; }
void xed_encoder_request_set_scale(xed_encoder_request_t *p, xed_uint_t scale) { p->_operands.scale = (u8)scale; }
xed_operand_values_t *xed_encoder_request_operands(xed_encoder_request_t *p) { return p; }
const xed_operand_values_t *xed_encoder_request_operands_const(const xed_encoder_request_t *p) { return p; }

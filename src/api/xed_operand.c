/* SPDX-License-Identifier: Apache-2.0
 * xed_*: operands and memory operands. Works on the caller's structures; no state, no lock. A number or a name that the
 * instruction does not have gives the invalid register or 0, as in XED. */
#include "api/xed_internal.h"
#include "forms.h"
#include "regs.h"
#include "xed_names.h"
#include "linchpin/reg.h"

#include <string.h>

static const struct fact_operand *operand(const xed_decoded_inst_t *d, u32 n)
{
    static const struct fact_operand none;
    return n < xed_facts(d)->noperands ? &xed_facts(d)->op[n] : &none;
}

xed_uint_t xed_decoded_inst_noperands(const xed_decoded_inst_t *d) { return xed_facts(d)->noperands; }
unsigned int xed_inst_noperands(const xed_inst_t *i) { return i->_noperands; }
const xed_operand_t *xed_inst_operand(const xed_inst_t *i, unsigned int n)
{
    static const xed_operand_t none;
    const xed_operand_t *o = forms_operand(i, n);
    return o ? o : &none;
}

/* --- one operand -------------------------------------------------------------------------------------------- */

xed_operand_enum_t xed_operand_name(const xed_operand_t *o) { return (xed_operand_enum_t)o->_name; }
xed_operand_visibility_enum_t xed_operand_operand_visibility(const xed_operand_t *o)
{
    return (xed_operand_visibility_enum_t)o->_operand_visibility;
}
xed_operand_action_enum_t xed_operand_rw(const xed_operand_t *o) { return (xed_operand_action_enum_t)o->_rw; }
xed_uint_t xed_operand_read(const xed_operand_t *o) { return xed_operand_action_read(xed_operand_rw(o)); }
xed_uint_t xed_operand_read_only(const xed_operand_t *o) { return xed_operand_action_read_only(xed_operand_rw(o)); }
xed_uint_t xed_operand_written(const xed_operand_t *o) { return xed_operand_action_written(xed_operand_rw(o)); }
xed_uint_t xed_operand_written_only(const xed_operand_t *o)
{
    return xed_operand_action_written_only(xed_operand_rw(o));
}
xed_uint_t xed_operand_read_and_written(const xed_operand_t *o)
{
    return xed_operand_action_read_and_written(xed_operand_rw(o));
}
xed_bool_t xed_operand_is_register(xed_operand_enum_t name)
{
    return name >= XED_OPERAND_REG0 && name <= XED_OPERAND_REG9;
}

xed_bool_t xed_operand_is_memory_addressing_register(xed_operand_enum_t name)
{
    return name == XED_OPERAND_BASE0 || name == XED_OPERAND_BASE1 || name == XED_OPERAND_INDEX ||
           name == XED_OPERAND_SEG0 || name == XED_OPERAND_SEG1;
}

xed_operand_action_enum_t xed_decoded_inst_operand_action(const xed_decoded_inst_t *d, unsigned int n)
{
    const xed_operand_t *form = d->_inst ? forms_operand(d->_inst, n) : NULL;
    xed_operand_action_enum_t action = form ? xed_operand_rw(form) : XED_OPERAND_ACTION_INVALID;
    bool merges = d->_operands.mask && d->_operands.vexvalid == 2 && !d->_operands.zeroing &&
                  !(d->_inst && xed_inst_get_attribute(d->_inst, XED_ATTRIBUTE_MASK_AS_CONTROL));
    const struct fact_operand *o = operand(d, n);
    if (!merges || n || !o->written || (o->kind == FACT_REG && regs_class(o->reg) == REG_CLASS_K))
        return action;
    return o->kind == FACT_MEM ? XED_OPERAND_ACTION_CW : XED_OPERAND_ACTION_RCW;
}
unsigned int xed_decoded_inst_operand_length_bits(const xed_decoded_inst_t *d, unsigned int n)
{
    return operand(d, n)->bits;
}
unsigned int xed_decoded_inst_operand_length(const xed_decoded_inst_t *d, unsigned int n)
{
    return operand(d, n)->bits / 8;
}
/* Registers and constants of no type of their own are whole numbers, as wide as they are. */
static const xed_operand_t *typed(const xed_decoded_inst_t *d, u32 n)
{
    const xed_operand_t *form = d->_inst ? forms_operand(d->_inst, n) : NULL;
    return form && form->_xtype && form->_xtype != XED_OPERAND_XTYPE_INT ? form : NULL;
}
unsigned int xed_decoded_inst_operand_element_size_bits(const xed_decoded_inst_t *d, unsigned int n)
{
    const xed_operand_t *form = typed(d, n);
    u32 bits = form ? forms_element_bits(form->_xtype) : 0;
    return bits ? bits : operand(d, n)->bits;
}
unsigned int xed_decoded_inst_operand_elements(const xed_decoded_inst_t *d, unsigned int n)
{
    u32 bits = xed_decoded_inst_operand_element_size_bits(d, n), all = operand(d, n)->bits;
    return operand(d, n)->vsib ? operand(d, n)->elements : bits ? (all + bits - 1) / bits : 0;
}
xed_operand_element_type_enum_t xed_decoded_inst_operand_element_type(const xed_decoded_inst_t *d, unsigned int n)
{
    const xed_operand_t *form = typed(d, n);
    return form ? (xed_operand_element_type_enum_t)forms_element_kind(form->_xtype) : XED_OPERAND_ELEMENT_TYPE_INT;
}

/* --- constants and displacements ---------------------------------------------------------------------------- */

/* Forms of arithmetic with a constant that have no sign in XED's tables: a byte for and, or, xor and mov, as each of
 * their opcodes has it, and mov of a constant into a register, in the form in which it is as long as the register. */
static bool has_plain_constant(const struct ins_facts *f)
{
    u32 i = 0;
    while (i + 1 < f->len && (memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", f->bytes[i], 11) ||
                              (!f->mode32 && (f->bytes[i] & 0xf0) == 0x40)))
        i++;
    switch (f->bytes[i]) {
    case 0x0c: case 0x34: case 0xc6: return true;
    case 0x80: return (f->bytes[i + 1] & 0x28) == 0x20; /* /4 and /6 */
    default: return (f->bytes[i] & 0xf0) == 0xb0;
    }
}

bool xed_constant_is_signed(const struct ins_facts *f, const struct fact_operand *o)
{
    return o->is_signed && !has_plain_constant(f);
}

xed_uint64_t xed_decoded_inst_get_unsigned_immediate(const xed_decoded_inst_t *d) { return d->_operands.uimm0; }
xed_int32_t xed_decoded_inst_get_signed_immediate(const xed_decoded_inst_t *d)
{
    u32 width = d->_operands.imm_width;
    u64 sign = width ? 1ull << (width - 1) : 0, value = d->_operands.uimm0 & (2 * sign - 1);
    return width ? (xed_int32_t)((value ^ sign) - sign) : 0;
}
xed_uint_t xed_decoded_inst_get_immediate_is_signed(const xed_decoded_inst_t *d) { return d->_operands.imm0signed; }
xed_uint_t xed_decoded_inst_get_immediate_width_bits(const xed_decoded_inst_t *d) { return d->_operands.imm_width; }
xed_uint_t xed_decoded_inst_get_immediate_width(const xed_decoded_inst_t *d) { return d->_operands.imm_width / 8; }
xed_int64_t xed_decoded_inst_get_branch_displacement(const xed_decoded_inst_t *d)
{
    return d->_operands.brdisp_width ? d->_operands.disp : 0;
}
xed_uint_t xed_decoded_inst_get_branch_displacement_width_bits(const xed_decoded_inst_t *d)
{
    return d->_operands.brdisp_width;
}
xed_uint_t xed_decoded_inst_get_branch_displacement_width(const xed_decoded_inst_t *d)
{
    return d->_operands.brdisp_width / 8;
}

/* --- memory ------------------------------------------------------------------------------------------------- */

u16 xed_segment(const struct ins_facts *f, const struct fact_operand *o)
{
    if (o->seg != REG_INVALID_)
        return xed_reg_from_zydis(regs_to_zydis(o->seg));
    if (f->mode32 == CODE_64 || o->kind == FACT_AGEN)
        return XED_REG_INVALID;
    const struct reg_row *base = o->base == REG_INVALID_ ? NULL : regs_row(o->base);
    u32 full = base ? base->full : REG_INVALID_;
    return full == REG_RSP || full == REG_RBP ? XED_REG_SS : XED_REG_DS;
}

static const struct fact_operand *memory(const xed_decoded_inst_t *d, u32 n)
{
    const struct ins_facts *f = xed_facts(d);
    for (u32 i = 0; i < f->noperands; i++)
        if ((f->op[i].kind == FACT_MEM || f->op[i].kind == FACT_AGEN) && !n--)
            return &f->op[i];
    return operand(d, FACT_MAX_OPERANDS);
}

xed_uint_t xed_decoded_inst_number_of_memory_operands(const xed_decoded_inst_t *d)
{
    return d->_operands.mem0 + d->_operands.mem1 + d->_operands.agen;
}

xed_bool_t xed_decoded_inst_mem_read(const xed_decoded_inst_t *d, unsigned int n)
{
    return memory(d, n)->kind == FACT_MEM && memory(d, n)->read;
}
xed_bool_t xed_decoded_inst_mem_written(const xed_decoded_inst_t *d, unsigned int n) { return memory(d, n)->written; }
xed_bool_t xed_decoded_inst_mem_written_only(const xed_decoded_inst_t *d, unsigned int n)
{
    return memory(d, n)->written && !memory(d, n)->read;
}
xed_reg_enum_t xed_decoded_inst_get_base_reg(const xed_decoded_inst_t *d, unsigned int n)
{
    return (xed_reg_enum_t)(n == 0 ? d->_operands.base0 : n == 1 ? d->_operands.base1 : 0);
}
xed_reg_enum_t xed_decoded_inst_get_index_reg(const xed_decoded_inst_t *d, unsigned int n)
{
    return (xed_reg_enum_t)(n == 0 ? d->_operands.index : 0);
}
xed_reg_enum_t xed_decoded_inst_get_seg_reg(const xed_decoded_inst_t *d, unsigned int n)
{
    return (xed_reg_enum_t)(n == 0 ? d->_operands.seg0 : n == 1 ? d->_operands.seg1 : 0);
}
xed_uint_t xed_decoded_inst_get_scale(const xed_decoded_inst_t *d, unsigned int n)
{
    return n == 0 ? d->_operands.scale : n == 1 && d->_operands.mem1;
}
/* A displacement of a byte may be multiplied (EVEX); its width is that of the product then. */
xed_int64_t xed_decoded_inst_get_memory_displacement(const xed_decoded_inst_t *d, unsigned int n)
{
    bool addressed = d->_operands.mem0 || d->_operands.agen;
    s64 scale = d->_operands.disp_width == 8 && d->lp_more[0] ? (s64)d->lp_more[0] : 1;
    return n == 0 && addressed && d->_operands.disp_width ? d->_operands.disp * scale : 0;
}
xed_uint_t xed_decoded_inst_get_memory_displacement_width_bits(const xed_decoded_inst_t *d, unsigned int n)
{
    if (n || d->_operands.disp_width != 8 || d->lp_more[0] < 2)
        return n == 0 ? d->_operands.disp_width : 0;
    s64 value = xed_decoded_inst_get_memory_displacement(d, n);
    return value == (s8)value ? 8 : 16;
}
xed_uint_t xed_decoded_inst_get_memory_displacement_width(const xed_decoded_inst_t *d, unsigned int n)
{
    return xed_decoded_inst_get_memory_displacement_width_bits(d, n) / 8;
}
unsigned int xed_decoded_inst_get_memory_operand_length(const xed_decoded_inst_t *d, unsigned int n)
{
    return memory(d, n)->kind == FACT_MEM ? memory(d, n)->bits / 8 : 0;
}

xed_reg_enum_t xed_decoded_inst_get_reg(const xed_decoded_inst_t *d, xed_operand_enum_t name)
{
    const xed_operand_storage_t *s = &d->_operands;
    const u16 regs[] = {s->reg0, s->reg1, s->reg2, s->reg3, s->reg4, s->reg5, s->reg6, s->reg7, s->reg8, s->reg9};
    switch (name) {
    case XED_OPERAND_BASE0: return (xed_reg_enum_t)s->base0;
    case XED_OPERAND_BASE1: return (xed_reg_enum_t)s->base1;
    case XED_OPERAND_SEG0: return (xed_reg_enum_t)s->seg0;
    case XED_OPERAND_SEG1: return (xed_reg_enum_t)s->seg1;
    case XED_OPERAND_INDEX: return (xed_reg_enum_t)s->index;
    default: return xed_operand_is_register(name) ? (xed_reg_enum_t)regs[name - XED_OPERAND_REG0] : XED_REG_INVALID;
    }
}

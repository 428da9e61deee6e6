/* SPDX-License-Identifier: Apache-2.0
 * xed_*: operands and memory operands. Works on the caller's structures; no state, no lock. A number or a name that the
 * instruction does not have gives the invalid register or 0, as in XED. */
#include "api/xed_internal.h"
#include "regs.h"
#include "xed_names.h"
#include "linchpin/reg.h"

#include <string.h>

static xed_reg_enum_t xed_reg(u16 reg) { return (xed_reg_enum_t)xed_reg_from_zydis(regs_to_zydis(reg)); }

static const struct fact_operand *operand(const xed_decoded_inst_t *d, u32 n)
{
    static const struct fact_operand none;
    return n < xed_facts(d)->noperands ? &xed_facts(d)->op[n] : &none;
}

xed_uint_t xed_decoded_inst_noperands(const xed_decoded_inst_t *d) { return xed_facts(d)->noperands; }
unsigned int xed_inst_noperands(const xed_inst_t *i) { return xed_inst_facts(i)->noperands; }
const xed_operand_t *xed_inst_operand(const xed_inst_t *i, unsigned int n)
{
    return (const xed_operand_t *)operand((const xed_decoded_inst_t *)i, n);
}

/* --- one operand -------------------------------------------------------------------------------------------- */

static xed_operand_action_enum_t action(const struct fact_operand *o)
{
    if (o->read && o->written)
        return o->conditional ? XED_OPERAND_ACTION_RCW : XED_OPERAND_ACTION_RW;
    if (o->read)
        return o->conditional ? XED_OPERAND_ACTION_CR : XED_OPERAND_ACTION_R;
    if (o->written)
        return o->conditional ? XED_OPERAND_ACTION_CW : XED_OPERAND_ACTION_W;
    return XED_OPERAND_ACTION_INVALID;
}

xed_operand_enum_t xed_operand_name(const xed_operand_t *o) { return (xed_operand_enum_t)xed_fact(o)->name; }
xed_operand_visibility_enum_t xed_operand_operand_visibility(const xed_operand_t *o)
{
    return (xed_operand_visibility_enum_t)(xed_fact(o)->visibility + 1);
}
xed_operand_action_enum_t xed_operand_rw(const xed_operand_t *o) { return action(xed_fact(o)); }
xed_uint_t xed_operand_read(const xed_operand_t *o) { return xed_fact(o)->read; }
xed_uint_t xed_operand_read_only(const xed_operand_t *o) { return xed_fact(o)->read && !xed_fact(o)->written; }
xed_uint_t xed_operand_written(const xed_operand_t *o) { return xed_fact(o)->written; }
xed_uint_t xed_operand_written_only(const xed_operand_t *o) { return xed_fact(o)->written && !xed_fact(o)->read; }
xed_uint_t xed_operand_read_and_written(const xed_operand_t *o) { return xed_fact(o)->written && xed_fact(o)->read; }
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
    return action(operand(d, n));
}
unsigned int xed_decoded_inst_operand_length_bits(const xed_decoded_inst_t *d, unsigned int n)
{
    return operand(d, n)->bits;
}
unsigned int xed_decoded_inst_operand_length(const xed_decoded_inst_t *d, unsigned int n)
{
    return operand(d, n)->bits / 8;
}
unsigned int xed_decoded_inst_operand_elements(const xed_decoded_inst_t *d, unsigned int n)
{
    return operand(d, n)->elements;
}
unsigned int xed_decoded_inst_operand_element_size_bits(const xed_decoded_inst_t *d, unsigned int n)
{
    return operand(d, n)->element_bits;
}

xed_operand_element_type_enum_t xed_decoded_inst_operand_element_type(const xed_decoded_inst_t *d, unsigned int n)
{
    return (xed_operand_element_type_enum_t)xed_element_type_from_zydis(operand(d, n)->element_type);
}

/* --- immediates and displacements --------------------------------------------------------------------------- */

static const struct fact_operand *first_of(const xed_decoded_inst_t *d, enum fact_kind kind)
{
    const struct ins_facts *f = xed_facts(d);
    for (u32 i = 0; i < f->noperands; i++)
        if (f->op[i].kind == kind)
            return &f->op[i];
    return operand(d, FACT_MAX_OPERANDS);
}

xed_uint64_t xed_decoded_inst_get_unsigned_immediate(const xed_decoded_inst_t *d) { return first_of(d, FACT_IMM)->imm; }
xed_int32_t xed_decoded_inst_get_signed_immediate(const xed_decoded_inst_t *d)
{
    return (xed_int32_t)first_of(d, FACT_IMM)->imm;
}
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

xed_uint_t xed_decoded_inst_get_immediate_is_signed(const xed_decoded_inst_t *d)
{
    return first_of(d, FACT_IMM)->is_signed && !has_plain_constant(xed_facts(d));
}
xed_uint_t xed_decoded_inst_get_immediate_width_bits(const xed_decoded_inst_t *d)
{
    return first_of(d, FACT_IMM)->bits;
}
xed_uint_t xed_decoded_inst_get_immediate_width(const xed_decoded_inst_t *d) { return first_of(d, FACT_IMM)->bits / 8; }
xed_int32_t xed_decoded_inst_get_branch_displacement(const xed_decoded_inst_t *d)
{
    return (xed_int32_t)first_of(d, FACT_BRANCH)->imm;
}
xed_uint_t xed_decoded_inst_get_branch_displacement_width_bits(const xed_decoded_inst_t *d)
{
    return first_of(d, FACT_BRANCH)->bits;
}
xed_uint_t xed_decoded_inst_get_branch_displacement_width(const xed_decoded_inst_t *d)
{
    return first_of(d, FACT_BRANCH)->bits / 8;
}

/* --- memory ------------------------------------------------------------------------------------------------- */

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
    u32 n = 0;
    while (memory(d, n)->kind != FACT_NONE)
        n++;
    return n;
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
    return xed_reg(memory(d, n)->base);
}
xed_reg_enum_t xed_decoded_inst_get_index_reg(const xed_decoded_inst_t *d, unsigned int n)
{
    return xed_reg(memory(d, n)->index);
}
xed_reg_enum_t xed_decoded_inst_get_seg_reg(const xed_decoded_inst_t *d, unsigned int n)
{
    return xed_reg(memory(d, n)->seg);
}
xed_uint_t xed_decoded_inst_get_scale(const xed_decoded_inst_t *d, unsigned int n) { return memory(d, n)->scale; }
xed_int64_t xed_decoded_inst_get_memory_displacement(const xed_decoded_inst_t *d, unsigned int n)
{
    return memory(d, n)->disp;
}
xed_uint_t xed_decoded_inst_get_memory_displacement_width_bits(const xed_decoded_inst_t *d, unsigned int n)
{
    return memory(d, n)->disp_bits;
}
xed_uint_t xed_decoded_inst_get_memory_displacement_width(const xed_decoded_inst_t *d, unsigned int n)
{
    return memory(d, n)->disp_bits / 8;
}
unsigned int xed_decoded_inst_get_memory_operand_length(const xed_decoded_inst_t *d, unsigned int n)
{
    return memory(d, n)->kind == FACT_MEM ? memory(d, n)->bits / 8 : 0;
}

xed_reg_enum_t xed_decoded_inst_get_reg(const xed_decoded_inst_t *d, xed_operand_enum_t name)
{
    const struct ins_facts *f = xed_facts(d);
    switch (name) {
    case XED_OPERAND_BASE0: case XED_OPERAND_BASE1: return xed_reg(memory(d, name - XED_OPERAND_BASE0)->base);
    case XED_OPERAND_SEG0: case XED_OPERAND_SEG1: return xed_reg(memory(d, name - XED_OPERAND_SEG0)->seg);
    case XED_OPERAND_INDEX: return xed_reg(memory(d, 0)->index);
    default: break;
    }
    for (u32 i = 0; i < f->noperands; i++)
        if (f->op[i].kind == FACT_REG && f->op[i].name == name)
            return xed_reg(f->op[i].reg);
    return XED_REG_INVALID;
}

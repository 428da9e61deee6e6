/* SPDX-License-Identifier: Apache-2.0
 * xed_inst_*, xed_operand_*, xed_iform_* and their like: what the tables say of a form; flags, ISA sets, chips, CPUID.
 * No state. */
#include "api/xed_internal.h"
#include "forms.h"

#include <string.h>

/* --- forms and their operands -------------------------------------------------------------------------- */

const xed_inst_t *xed_inst_table_base(void)
{
    u32 count;
    return forms_table(&count);
}

unsigned int xed_inst_cpl(const xed_inst_t *i) { return i->_cpl; }
xed_exception_enum_t xed_inst_exception(const xed_inst_t *i) { return (xed_exception_enum_t)i->_exceptions; }
xed_isa_set_enum_t xed_inst_isa_set(const xed_inst_t *i) { return xed_iform_to_isa_set(xed_inst_iform_enum(i)); }
xed_uint32_t xed_inst_flag_info_index(const xed_inst_t *i) { return i->_flag_info_index; }
unsigned int xed_attribute_max(void) { return XED_ATTRIBUTE_LAST - 1; }
xed_attribute_enum_t xed_attribute(unsigned int i)
{
    return i < xed_attribute_max() ? (xed_attribute_enum_t)(i + 1) : XED_ATTRIBUTE_INVALID;
}

xed_operand_type_enum_t xed_operand_type(const xed_operand_t *o) { return (xed_operand_type_enum_t)o->_type; }
xed_operand_width_enum_t xed_operand_width(const xed_operand_t *o) { return (xed_operand_width_enum_t)o->_oc2; }
xed_operand_element_xtype_enum_t xed_operand_xtype(const xed_operand_t *o)
{
    return (xed_operand_element_xtype_enum_t)o->_xtype;
}
xed_uint32_t xed_operand_width_bits(const xed_operand_t *o, xed_uint32_t eosz)
{
    return forms_width_bits(o->_oc2, eosz == 3 ? 64 : eosz == 2 ? 32 : 16);
}
static bool is_looked_up(const xed_operand_t *o)
{
    return o->_type == XED_OPERAND_TYPE_NT_LOOKUP_FN || o->_type == XED_OPERAND_TYPE_NT_LOOKUP_FN2 ||
           o->_type == XED_OPERAND_TYPE_NT_LOOKUP_FN4;
}
xed_nonterminal_enum_t xed_operand_nonterminal_name(const xed_operand_t *o)
{
    return is_looked_up(o) ? (xed_nonterminal_enum_t)o->_value : XED_NONTERMINAL_INVALID;
}
xed_reg_enum_t xed_operand_reg(const xed_operand_t *o)
{
    return o->_type == XED_OPERAND_TYPE_REG ? (xed_reg_enum_t)o->_value : XED_REG_INVALID;
}
xed_uint32_t xed_operand_imm(const xed_operand_t *o) { return o->_type == XED_OPERAND_TYPE_IMM_CONST ? o->_value : 0; }
xed_uint_t xed_operand_template_is_register(const xed_operand_t *o)
{
    return is_looked_up(o) || o->_type == XED_OPERAND_TYPE_REG;
}
xed_uint_t xed_operand_conditional_read(const xed_operand_t *o)
{
    return xed_operand_action_conditional_read(xed_operand_rw(o));
}
xed_uint_t xed_operand_conditional_write(const xed_operand_t *o)
{
    return xed_operand_action_conditional_write(xed_operand_rw(o));
}

void xed_operand_print(const xed_operand_t *o, char *out, int bytes)
{
    const char *value = xed_operand_reg(o)                  ? xed_reg_enum_t2str(xed_operand_reg(o))
                        : xed_operand_nonterminal_name(o) ? xed_nonterminal_enum_t2str(xed_operand_nonterminal_name(o))
                                                          : "";
    if (bytes > 0)
        base_format(out, (size_t)bytes, "%s%s%s %s %s %s %s", xed_operand_enum_t2str(xed_operand_name(o)),
                    *value ? "=" : "", value, xed_operand_visibility_enum_t2str(xed_operand_operand_visibility(o)),
                    xed_operand_action_enum_t2str(xed_operand_rw(o)),
                    xed_operand_width_enum_t2str(xed_operand_width(o)),
                    xed_operand_element_xtype_enum_t2str(xed_operand_xtype(o)));
}

/* --- forms by number ----------------------------------------------------------------------------------- */

const xed_iform_info_t *xed_iform_map(xed_iform_enum_t form) { return forms_info((u32)form); }

static xed_iform_info_t info(xed_iform_enum_t form)
{
    const xed_iform_info_t *i = forms_info((u32)form);
    return i ? *i : (xed_iform_info_t){0, 0, 0, 0};
}

xed_iclass_enum_t xed_iform_to_iclass(xed_iform_enum_t form) { return (xed_iclass_enum_t)info(form).iclass; }
xed_category_enum_t xed_iform_to_category(xed_iform_enum_t form) { return (xed_category_enum_t)info(form).category; }
xed_extension_enum_t xed_iform_to_extension(xed_iform_enum_t form)
{
    return (xed_extension_enum_t)info(form).extension;
}
xed_isa_set_enum_t xed_iform_to_isa_set(xed_iform_enum_t form) { return (xed_isa_set_enum_t)info(form).isa_set; }

xed_uint32_t xed_iform_first_per_iclass(xed_iclass_enum_t iclass)
{
    for (u32 i = 1; i < XED_IFORM_LAST; i++)
        if (forms_info(i)->iclass == iclass)
            return i;
    return 0;
}

xed_uint32_t xed_iform_max_per_iclass(xed_iclass_enum_t iclass)
{
    u32 count = 0;
    for (u32 i = 1; i < XED_IFORM_LAST; i++)
        count += forms_info(i)->iclass == iclass;
    return count;
}

/* --- ISA sets, chips, CPUID ---------------------------------------------------------------------------- */

xed_bool_t xed_isa_set_is_valid_for_chip(xed_isa_set_enum_t isa_set, xed_chip_enum_t chip)
{
    return forms_chip_has((u32)chip, (u32)isa_set);
}

void xed_get_chip_features(xed_chip_features_t *p, xed_chip_enum_t chip)
{
    memset(p, 0, sizeof *p);
    for (u32 i = 1; i < XED_ISA_SET_LAST; i++)
        p->f[i >> 6] |= (u64)forms_chip_has((u32)chip, i) << (i & 63);
}

void xed_modify_chip_features(xed_chip_features_t *p, xed_isa_set_enum_t isa_set, xed_bool_t present)
{
    if ((u32)isa_set >= XED_ISA_SET_LAST)
        return;
    u64 bit = 1ull << (isa_set & 63);
    p->f[isa_set >> 6] = present ? p->f[isa_set >> 6] | bit : p->f[isa_set >> 6] & ~bit;
}

xed_error_enum_t xed_decode_with_features(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count,
                                          xed_chip_features_t *features)
{
    xed_error_enum_t error = xed_decode(d, bytes, count);
    u32 isa_set = error || !features ? 0 : (u32)xed_decoded_inst_get_isa_set(d);
    if (error || !features || features->f[isa_set >> 6] >> (isa_set & 63) & 1)
        return error;
    d->_operands.error = XED_ERROR_INVALID_FOR_CHIP;
    return XED_ERROR_INVALID_FOR_CHIP;
}

xed_isa_set_enum_t xed_decoded_inst_get_isa_set(const xed_decoded_inst_t *d)
{
    return d->_inst ? xed_inst_isa_set(d->_inst) : XED_ISA_SET_INVALID;
}

xed_bool_t xed_decoded_inst_valid_for_chip(const xed_decoded_inst_t *d, xed_chip_enum_t chip)
{
    return forms_chip_has((u32)chip, (u32)xed_decoded_inst_get_isa_set(d));
}

unsigned int xed_decoded_inst_get_iform_enum_dispatch(const xed_decoded_inst_t *d)
{
    u32 form = (u32)xed_decoded_inst_get_iform_enum(d);
    return form - xed_iform_first_per_iclass(xed_iform_to_iclass((xed_iform_enum_t)form));
}

xed_cpuid_group_enum_t xed_get_cpuid_group_enum_for_isa_set(xed_isa_set_enum_t isa_set, xed_uint_t i)
{
    return (xed_cpuid_group_enum_t)forms_cpuid_group((u32)isa_set, i);
}

xed_cpuid_rec_enum_t xed_get_cpuid_rec_enum_for_group(xed_cpuid_group_enum_t group, xed_uint_t i)
{
    return (xed_cpuid_rec_enum_t)forms_cpuid_record((u32)group, i);
}

xed_bool_t xed_get_cpuid_rec(xed_cpuid_rec_enum_t rec, xed_cpuid_rec_t *out)
{
    const xed_cpuid_rec_t *r = forms_cpuid((u32)rec);
    if (r)
        *out = *r;
    return r != NULL;
}

/* --- flags --------------------------------------------------------------------------------------------- */

const xed_simple_flag_t *xed_decoded_inst_get_rflags_info(const xed_decoded_inst_t *d)
{
    return d->_inst ? forms_flags(d->_inst, xed_facts(d)) : NULL;
}

xed_bool_t xed_decoded_inst_uses_rflags(const xed_decoded_inst_t *d)
{
    const xed_simple_flag_t *flags = xed_decoded_inst_get_rflags_info(d);
    return flags && (flags->read.flat || flags->written.flat);
}

const xed_flag_action_t *xed_simple_flag_get_flag_action(const xed_simple_flag_t *p, unsigned int i)
{
    static const xed_flag_action_t none;
    return i < p->nflags ? &forms_flag_actions(p)[i] : &none;
}

int xed_flag_set_print(const xed_flag_set_t *p, char *out, int bytes)
{
    static const struct { u32 bit; const char *name; } names[] = {
        {0, "cf"}, {2, "pf"}, {4, "af"}, {6, "zf"}, {7, "sf"}, {8, "tf"}, {9, "if"}, {10, "df"}, {11, "of"},
        {12, "iopl"},
        {14, "nt"}, {16, "rf"}, {17, "vm"}, {18, "ac"}, {19, "vif"}, {20, "vip"}, {21, "id"}, {28, "fc0"}, {29, "fc1"},
        {30, "fc2"}, {31, "fc3"},
    };
    size_t n = 0;
    if (bytes > 0)
        out[0] = 0;
    for (u32 i = ARRAY_LEN(names); i-- > 0;)
        if (p->flat >> names[i].bit & 1 && n + 1 < (size_t)bytes)
            n += (size_t)base_format(out + n, (size_t)bytes - n, "%s%s", n ? " " : "", names[i].name);
    return (int)n;
}

int xed_flag_action_print(const xed_flag_action_t *p, char *out, int bytes)
{
    return bytes > 0 ? (int)base_format(out, (size_t)bytes, "%s-%s", xed_flag_enum_t2str(p->flag),
                                        xed_flag_action_enum_t2str(p->action))
                     : 0;
}

int xed_simple_flag_print(const xed_simple_flag_t *p, char *out, int bytes)
{
    size_t n = 0;
    if (bytes <= 0)
        return 0;
    n = (size_t)base_format(out, (size_t)bytes, "%s[",
                            p->must_write  ? "MUST-WRITE "
                            : p->may_write ? "MAY-WRITE "
                                           : "READONLY ");
    for (u32 i = 0; i < p->nflags && n + 1 < (size_t)bytes; i++) {
        n += (size_t)base_format(out + n, (size_t)bytes - n, " ");
        n += (size_t)xed_flag_action_print(xed_simple_flag_get_flag_action(p, i), out + n, bytes - (int)n);
    }
    if (n + 1 < (size_t)bytes)
        n += (size_t)base_format(out + n, (size_t)bytes - n, " ]");
    return (int)n;
}

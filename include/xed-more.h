/* SPDX-License-Identifier: Apache-2.0
 * More of XED's interface, made of the functions of xed-interface.h, header only: machine states, actions of operands, names of the small enumerations, forms of repeated instructions, and
 * xed3_operand_get_* for what the bytes and the operands of a decoded instruction tell. Prefixes, opcode and ModRM are read from the bytes, as the manuals of the processors lay them out. */
#ifndef LINCHPIN_XED_MORE_H
#define LINCHPIN_XED_MORE_H
#include <stdio.h>
#include <string.h>

#include "xed-operand-values.h"

/* --- machine states ------------------------------------------------------------------------------------------- */
static inline xed_address_width_enum_t xed_state_get_address_width(const xed_state_t *s)
{
    switch (s->mmode) {
    case XED_MACHINE_MODE_LONG_64: return XED_ADDRESS_WIDTH_64b;
    case XED_MACHINE_MODE_LONG_COMPAT_32: case XED_MACHINE_MODE_LEGACY_32: case XED_MACHINE_MODE_REAL_32: return XED_ADDRESS_WIDTH_32b;
    case XED_MACHINE_MODE_LONG_COMPAT_16: case XED_MACHINE_MODE_LEGACY_16: case XED_MACHINE_MODE_REAL_16: return XED_ADDRESS_WIDTH_16b;
    default: return XED_ADDRESS_WIDTH_INVALID;
    }
}
static inline xed_bool_t xed_state_long64_mode(const xed_state_t *s) { return s->mmode == XED_MACHINE_MODE_LONG_64; }
static inline xed_bool_t xed_state_real_mode(const xed_state_t *s) { return s->mmode == XED_MACHINE_MODE_REAL_16 || s->mmode == XED_MACHINE_MODE_REAL_32; }
static inline xed_bool_t xed_state_mode_width_16(const xed_state_t *s) { return xed_state_get_address_width(s) == XED_ADDRESS_WIDTH_16b; }
static inline xed_bool_t xed_state_mode_width_32(const xed_state_t *s) { return xed_state_get_address_width(s) == XED_ADDRESS_WIDTH_32b; }
static inline xed_address_width_enum_t xed_state_get_stack_address_width(const xed_state_t *s) { return s->stack_addr_width; }
static inline void xed_state_set_stack_address_width(xed_state_t *s, xed_address_width_enum_t width) { s->stack_addr_width = width; }

/* --- actions of operands ---------------------------------------------------------------------------------------- */
static inline xed_uint_t xed_operand_action_read(xed_operand_action_enum_t a)
{
    return a == XED_OPERAND_ACTION_RW || a == XED_OPERAND_ACTION_R || a == XED_OPERAND_ACTION_RCW || a == XED_OPERAND_ACTION_CRW || a == XED_OPERAND_ACTION_CR;
}
static inline xed_uint_t xed_operand_action_written(xed_operand_action_enum_t a)
{
    return a == XED_OPERAND_ACTION_RW || a == XED_OPERAND_ACTION_W || a == XED_OPERAND_ACTION_RCW || a == XED_OPERAND_ACTION_CRW || a == XED_OPERAND_ACTION_CW;
}
static inline xed_uint_t xed_operand_action_read_only(xed_operand_action_enum_t a) { return xed_operand_action_read(a) && !xed_operand_action_written(a); }
static inline xed_uint_t xed_operand_action_written_only(xed_operand_action_enum_t a) { return xed_operand_action_written(a) && !xed_operand_action_read(a); }
static inline xed_uint_t xed_operand_action_read_and_written(xed_operand_action_enum_t a) { return xed_operand_action_read(a) && xed_operand_action_written(a); }
static inline xed_uint_t xed_operand_action_conditional_read(xed_operand_action_enum_t a) { return a == XED_OPERAND_ACTION_CRW || a == XED_OPERAND_ACTION_CR; }
static inline xed_uint_t xed_operand_action_conditional_write(xed_operand_action_enum_t a) { return a == XED_OPERAND_ACTION_RCW || a == XED_OPERAND_ACTION_CW; }

/* --- names of enumerations --------------------------------------------------------------------------------------- */
static inline const char *xed_machine_mode_enum_t2str(xed_machine_mode_enum_t v)
{
    switch (v) {
    case XED_MACHINE_MODE_INVALID: return "INVALID";
    case XED_MACHINE_MODE_LONG_64: return "LONG_64";
    case XED_MACHINE_MODE_LONG_COMPAT_32: return "LONG_COMPAT_32";
    case XED_MACHINE_MODE_LONG_COMPAT_16: return "LONG_COMPAT_16";
    case XED_MACHINE_MODE_LEGACY_32: return "LEGACY_32";
    case XED_MACHINE_MODE_LEGACY_16: return "LEGACY_16";
    case XED_MACHINE_MODE_REAL_16: return "REAL_16";
    case XED_MACHINE_MODE_REAL_32: return "REAL_32";
    default: return "???";
    }
}
static inline xed_machine_mode_enum_t xed_machine_mode_enum_t_last(void) { return XED_MACHINE_MODE_LAST; }
static inline xed_machine_mode_enum_t str2xed_machine_mode_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_MACHINE_MODE_LAST; v++)
        if (!strcmp(xed_machine_mode_enum_t2str((xed_machine_mode_enum_t)v), s))
            return (xed_machine_mode_enum_t)v;
    return (xed_machine_mode_enum_t)0;
}
static inline const char *xed_address_width_enum_t2str(xed_address_width_enum_t v)
{
    switch (v) {
    case XED_ADDRESS_WIDTH_INVALID: return "INVALID";
    case XED_ADDRESS_WIDTH_16b: return "16b";
    case XED_ADDRESS_WIDTH_32b: return "32b";
    case XED_ADDRESS_WIDTH_64b: return "64b";
    default: return "???";
    }
}
static inline xed_address_width_enum_t xed_address_width_enum_t_last(void) { return XED_ADDRESS_WIDTH_LAST; }
static inline xed_address_width_enum_t str2xed_address_width_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_ADDRESS_WIDTH_LAST; v++)
        if (!strcmp(xed_address_width_enum_t2str((xed_address_width_enum_t)v), s))
            return (xed_address_width_enum_t)v;
    return (xed_address_width_enum_t)0;
}
static inline const char *xed_syntax_enum_t2str(xed_syntax_enum_t v)
{
    switch (v) {
    case XED_SYNTAX_INVALID: return "INVALID";
    case XED_SYNTAX_XED: return "XED";
    case XED_SYNTAX_ATT: return "ATT";
    case XED_SYNTAX_INTEL: return "INTEL";
    default: return "???";
    }
}
static inline xed_syntax_enum_t xed_syntax_enum_t_last(void) { return XED_SYNTAX_LAST; }
static inline xed_syntax_enum_t str2xed_syntax_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_SYNTAX_LAST; v++)
        if (!strcmp(xed_syntax_enum_t2str((xed_syntax_enum_t)v), s))
            return (xed_syntax_enum_t)v;
    return (xed_syntax_enum_t)0;
}
static inline const char *xed_operand_visibility_enum_t2str(xed_operand_visibility_enum_t v)
{
    switch (v) {
    case XED_OPVIS_INVALID: return "INVALID";
    case XED_OPVIS_EXPLICIT: return "EXPLICIT";
    case XED_OPVIS_IMPLICIT: return "IMPLICIT";
    case XED_OPVIS_SUPPRESSED: return "SUPPRESSED";
    default: return "???";
    }
}
static inline xed_operand_visibility_enum_t xed_operand_visibility_enum_t_last(void) { return XED_OPVIS_LAST; }
static inline xed_operand_visibility_enum_t str2xed_operand_visibility_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_OPVIS_LAST; v++)
        if (!strcmp(xed_operand_visibility_enum_t2str((xed_operand_visibility_enum_t)v), s))
            return (xed_operand_visibility_enum_t)v;
    return (xed_operand_visibility_enum_t)0;
}
static inline const char *xed_operand_action_enum_t2str(xed_operand_action_enum_t v)
{
    switch (v) {
    case XED_OPERAND_ACTION_INVALID: return "INVALID";
    case XED_OPERAND_ACTION_RW: return "RW";
    case XED_OPERAND_ACTION_R: return "R";
    case XED_OPERAND_ACTION_W: return "W";
    case XED_OPERAND_ACTION_RCW: return "RCW";
    case XED_OPERAND_ACTION_CW: return "CW";
    case XED_OPERAND_ACTION_CRW: return "CRW";
    case XED_OPERAND_ACTION_CR: return "CR";
    default: return "???";
    }
}
static inline xed_operand_action_enum_t xed_operand_action_enum_t_last(void) { return XED_OPERAND_ACTION_LAST; }
static inline xed_operand_action_enum_t str2xed_operand_action_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_OPERAND_ACTION_LAST; v++)
        if (!strcmp(xed_operand_action_enum_t2str((xed_operand_action_enum_t)v), s))
            return (xed_operand_action_enum_t)v;
    return (xed_operand_action_enum_t)0;
}
static inline xed_operand_element_type_enum_t xed_operand_element_type_enum_t_last(void) { return XED_OPERAND_ELEMENT_TYPE_LAST; }
static inline xed_operand_element_type_enum_t str2xed_operand_element_type_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_OPERAND_ELEMENT_TYPE_LAST; v++)
        if (!strcmp(xed_operand_element_type_enum_t2str((xed_operand_element_type_enum_t)v), s))
            return (xed_operand_element_type_enum_t)v;
    return (xed_operand_element_type_enum_t)0;
}
static inline xed_reg_class_enum_t xed_reg_class_enum_t_last(void) { return XED_REG_CLASS_LAST; }
static inline xed_reg_class_enum_t str2xed_reg_class_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_REG_CLASS_LAST; v++)
        if (!strcmp(xed_reg_class_enum_t2str((xed_reg_class_enum_t)v), s))
            return (xed_reg_class_enum_t)v;
    return (xed_reg_class_enum_t)0;
}
static inline xed_attribute_enum_t xed_attribute_enum_t_last(void) { return XED_ATTRIBUTE_LAST; }
static inline xed_attribute_enum_t str2xed_attribute_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_ATTRIBUTE_LAST; v++)
        if (!strcmp(xed_attribute_enum_t2str((xed_attribute_enum_t)v), s))
            return (xed_attribute_enum_t)v;
    return (xed_attribute_enum_t)0;
}
static inline const char *xed_chip_enum_t2str(xed_chip_enum_t v)
{
    switch (v) {
    case XED_CHIP_INVALID: return "INVALID";
    case XED_CHIP_ALL: return "ALL";
    default: return "???";
    }
}
static inline xed_chip_enum_t xed_chip_enum_t_last(void) { return XED_CHIP_LAST; }
static inline xed_chip_enum_t str2xed_chip_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_CHIP_LAST; v++)
        if (!strcmp(xed_chip_enum_t2str((xed_chip_enum_t)v), s))
            return (xed_chip_enum_t)v;
    return (xed_chip_enum_t)0;
}
static inline xed_error_enum_t xed_error_enum_t_last(void) { return XED_ERROR_LAST; }
static inline xed_error_enum_t str2xed_error_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_ERROR_LAST; v++)
        if (!strcmp(xed_error_enum_t2str((xed_error_enum_t)v), s))
            return (xed_error_enum_t)v;
    return (xed_error_enum_t)0;
}
static inline xed_operand_enum_t xed_operand_enum_t_last(void) { return XED_OPERAND_LAST; }
static inline xed_operand_enum_t str2xed_operand_enum_t(const char *s)
{
    for (int v = 0; v < (int)XED_OPERAND_LAST; v++)
        if (!strcmp(xed_operand_enum_t2str((xed_operand_enum_t)v), s))
            return (xed_operand_enum_t)v;
    return (xed_operand_enum_t)0;
}

/* --- repeated instructions: INVALID where there is no such form --------------------------------------------------- */
static inline xed_iclass_enum_t lp_xed_repeated(const char *prefix, xed_iclass_enum_t iclass)
{
    char name[64];
    int n = snprintf(name, sizeof name, "%s%s", prefix, xed_iclass_enum_t2str(iclass));
    return n < (int)sizeof name ? str2xed_iclass_enum_t(name) : XED_ICLASS_INVALID;
}
static inline xed_iclass_enum_t xed_rep_map(xed_iclass_enum_t iclass) { return lp_xed_repeated("REP_", iclass); }
static inline xed_iclass_enum_t xed_repe_map(xed_iclass_enum_t iclass) { return lp_xed_repeated("REPE_", iclass); }
static inline xed_iclass_enum_t xed_repne_map(xed_iclass_enum_t iclass) { return lp_xed_repeated("REPNE_", iclass); }
static inline xed_iclass_enum_t xed_rep_remove(xed_iclass_enum_t iclass)
{
    const char *name = xed_iclass_enum_t2str(iclass), *at = !strncmp(name, "REP", 3) ? strchr(name, '_') : NULL;
    return at ? str2xed_iclass_enum_t(at + 1) : XED_ICLASS_INVALID;
}

/* --- the bytes ------------------------------------------------------------------------------------------------------ */
typedef struct {
    xed_uint_t prefixes, rex, vex, map, opcode, modrm, sib; /* vex: 0 none, 1 VEX, 2 EVEX, 3 XOP; modrm, sib: their places, 0: none */
} lp_xed_layout_t;

static inline xed_bool_t lp_xed_legacy(xed_uint8_t b) { return b && strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", b) != NULL; }
/* The byte that follows tells VEX and its like from the instructions whose opcode they share; only outside of 64-bit code there are such. */
static inline xed_uint_t lp_xed_vex_bytes(const xed_decoded_inst_t *d, xed_uint_t at)
{
    xed_uint8_t b = xed_decoded_inst_get_byte(d, at), next = at + 1 < xed_decoded_inst_get_length(d) ? xed_decoded_inst_get_byte(d, at + 1) : 0;
    xed_bool_t long_mode = xed_decoded_inst_get_machine_mode_bits(d) == 64;
    if (b == 0x8f)
        return (next & 0x1f) >= 8 ? 3 : 0;
    if (!long_mode && (next & 0xc0) != 0xc0)
        return 0;
    return b == 0xc5 ? 2 : b == 0xc4 ? 3 : b == 0x62 ? 4 : 0;
}
static inline lp_xed_layout_t lp_xed_layout(const xed_decoded_inst_t *d)
{
    lp_xed_layout_t l;
    xed_uint_t at = 0, length = xed_decoded_inst_get_length(d), left, vex;
    memset(&l, 0, sizeof l);
    while (at < length && lp_xed_legacy(xed_decoded_inst_get_byte(d, at)))
        at++;
    l.prefixes = at;
    if (xed_decoded_inst_get_machine_mode_bits(d) == 64 && at < length && (xed_decoded_inst_get_byte(d, at) & 0xf0) == 0x40)
        l.rex = xed_decoded_inst_get_byte(d, at++);
    vex = at < length ? lp_xed_vex_bytes(d, at) : 0;
    if (vex) {
        xed_uint8_t b = xed_decoded_inst_get_byte(d, at);
        l.vex = b == 0x62 ? 2 : b == 0x8f ? 3 : 1;
        l.map = vex == 2 ? 1 : xed_decoded_inst_get_byte(d, at + 1) & (b == 0x62 ? 7 : 31);
        at += vex;
    } else if (at + 1 < length && xed_decoded_inst_get_byte(d, at) == 0x0f) {
        xed_uint8_t b = xed_decoded_inst_get_byte(d, at + 1);
        l.map = b == 0x38 ? 2 : b == 0x3a ? 3 : 1;
        at += l.map == 1 ? 1 : 2;
    }
    l.opcode = at < length ? xed_decoded_inst_get_byte(d, at++) : 0;
    left = xed_decoded_inst_get_branch_displacement_width(d) + xed_decoded_inst_get_immediate_width(d) + (xed_decoded_inst_number_of_memory_operands(d) ? xed_decoded_inst_get_memory_displacement_width(d, 0) : 0);
    if (at + left < length) {
        l.modrm = at++;
        if ((xed_decoded_inst_get_byte(d, l.modrm) & 0xc0) != 0xc0 && (xed_decoded_inst_get_byte(d, l.modrm) & 7) == 4 && at + left < length)
            l.sib = at;
    }
    return l;
}
static inline xed_uint_t xed_decoded_inst_get_nprefixes(const xed_decoded_inst_t *d)
{
    lp_xed_layout_t l = lp_xed_layout(d);
    return l.prefixes + (l.rex != 0);
}

/* --- xed3_operand_get_* ------------------------------------------------------------------------------------------------ */
static inline xed_reg_enum_t xed3_operand_get_reg0(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG0); }
static inline xed_reg_enum_t xed3_operand_get_reg1(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG1); }
static inline xed_reg_enum_t xed3_operand_get_reg2(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG2); }
static inline xed_reg_enum_t xed3_operand_get_reg3(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG3); }
static inline xed_reg_enum_t xed3_operand_get_reg4(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG4); }
static inline xed_reg_enum_t xed3_operand_get_reg5(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG5); }
static inline xed_reg_enum_t xed3_operand_get_reg6(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG6); }
static inline xed_reg_enum_t xed3_operand_get_reg7(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG7); }
static inline xed_reg_enum_t xed3_operand_get_reg8(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG8); }
static inline xed_reg_enum_t xed3_operand_get_reg9(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_reg(d, XED_OPERAND_REG9); }
static inline xed_reg_enum_t xed3_operand_get_base0(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_base_reg(d, 0); }
static inline xed_reg_enum_t xed3_operand_get_base1(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_base_reg(d, 1); }
static inline xed_reg_enum_t xed3_operand_get_index(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_index_reg(d, 0); }
static inline xed_reg_enum_t xed3_operand_get_seg0(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_seg_reg(d, 0); }
static inline xed_reg_enum_t xed3_operand_get_seg1(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_seg_reg(d, 1); }
static inline xed_bits_t xed3_operand_get_scale(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_scale(d, 0); }
static inline xed_bits_t lp_xed_has(const xed_decoded_inst_t *d, xed_operand_enum_t name)
{
    const xed_inst_t *inst = xed_decoded_inst_inst(d);
    for (unsigned int i = 0; i < xed_inst_noperands(inst); i++)
        if (xed_operand_name(xed_inst_operand(inst, i)) == name)
            return 1;
    return 0;
}
static inline xed_bits_t xed3_operand_get_mem0(const xed_decoded_inst_t *d) { return lp_xed_has(d, XED_OPERAND_MEM0); }
static inline xed_bits_t xed3_operand_get_mem1(const xed_decoded_inst_t *d) { return lp_xed_has(d, XED_OPERAND_MEM1); }
static inline xed_bits_t xed3_operand_get_agen(const xed_decoded_inst_t *d) { return lp_xed_has(d, XED_OPERAND_AGEN); }
static inline xed_int64_t xed3_operand_get_disp(const xed_decoded_inst_t *d)
{
    return xed_operand_values_has_branch_displacement(d) ? xed_decoded_inst_get_branch_displacement(d) : xed_decoded_inst_get_memory_displacement(d, 0);
}
static inline xed_uint8_t xed3_operand_get_disp_width(const xed_decoded_inst_t *d) /* bits */
{
    return (xed_uint8_t)(xed_decoded_inst_number_of_memory_operands(d) ? xed_decoded_inst_get_memory_displacement_width_bits(d, 0) : 0);
}
static inline xed_uint8_t xed3_operand_get_brdisp_width(const xed_decoded_inst_t *d) { return (xed_uint8_t)xed_decoded_inst_get_branch_displacement_width_bits(d); }
static inline xed_uint8_t xed3_operand_get_imm_width(const xed_decoded_inst_t *d) { return (xed_uint8_t)xed_decoded_inst_get_immediate_width_bits(d); }
static inline xed_bits_t xed3_operand_get_imm0signed(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_immediate_is_signed(d); }
static inline xed_bits_t xed3_operand_get_lock(const xed_decoded_inst_t *d) { return xed_operand_values_has_lock_prefix(d); }
static inline xed_bits_t xed3_operand_get_prefix66(const xed_decoded_inst_t *d) { return xed_operand_values_has_66_prefix(d); }
static inline xed_bits_t xed3_operand_get_asz(const xed_decoded_inst_t *d) { return xed_operand_values_has_address_size_prefix(d); }
/* 2 for F2, 3 for F3, 0 for neither. */
static inline xed_bits_t xed3_operand_get_rep(const xed_decoded_inst_t *d) { return xed_operand_values_has_repne_prefix(d) ? 2 : xed_operand_values_has_rep_prefix(d) ? 3 : 0; }
/* 0, 1 and 2 for code of 16, 32 and 64 bits. */
static inline xed_bits_t xed3_operand_get_mode(const xed_decoded_inst_t *d) { return xed_decoded_inst_get_machine_mode_bits(d) / 32; }
static inline xed_bits_t xed3_operand_get_rex(const xed_decoded_inst_t *d) { return lp_xed_layout(d).rex != 0; }
static inline xed_bits_t xed3_operand_get_map(const xed_decoded_inst_t *d) { return lp_xed_layout(d).map; }
static inline xed_uint8_t xed3_operand_get_nominal_opcode(const xed_decoded_inst_t *d) { return (xed_uint8_t)lp_xed_layout(d).opcode; }
/* 1 VEX, 2 EVEX, 3 XOP, 0 none of them. */
static inline xed_bits_t xed3_operand_get_vexvalid(const xed_decoded_inst_t *d) { return lp_xed_layout(d).vex; }
static inline xed_bits_t xed3_operand_get_has_modrm(const xed_decoded_inst_t *d) { return lp_xed_layout(d).modrm != 0; }
static inline xed_bits_t xed3_operand_get_has_sib(const xed_decoded_inst_t *d) { return lp_xed_layout(d).sib != 0; }
static inline xed_uint8_t xed3_operand_get_modrm_byte(const xed_decoded_inst_t *d)
{
    lp_xed_layout_t l = lp_xed_layout(d);
    return l.modrm ? xed_decoded_inst_get_byte(d, l.modrm) : 0;
}
static inline xed_bits_t xed3_operand_get_mod(const xed_decoded_inst_t *d) { return xed3_operand_get_modrm_byte(d) >> 6; }
static inline xed_bits_t xed3_operand_get_reg(const xed_decoded_inst_t *d) { return xed3_operand_get_modrm_byte(d) >> 3 & 7; }
static inline xed_bits_t xed3_operand_get_rm(const xed_decoded_inst_t *d) { return xed3_operand_get_modrm_byte(d) & 7; }
static inline xed_uint8_t xed3_operand_get_nprefixes(const xed_decoded_inst_t *d) { return (xed_uint8_t)xed_decoded_inst_get_nprefixes(d); }

#endif

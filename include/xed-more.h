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

static inline xed_uint_t xed_decoded_inst_get_nprefixes(const xed_decoded_inst_t *d) { return xed3_operand_get_nprefixes(d); }
static inline xed_uint8_t xed_decoded_inst_get_modrm(const xed_decoded_inst_t *d) { return xed3_operand_get_modrm_byte(d); }

#endif

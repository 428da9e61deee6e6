/* SPDX-License-Identifier: Apache-2.0
 * XED's xed_operand_values_t, the same object as the decoded instruction: what can be asked of it. Header only; the answers are XED's. */
#ifndef LINCHPIN_XED_OPERAND_VALUES_H
#define LINCHPIN_XED_OPERAND_VALUES_H
#include "xed-interface.h"


static inline xed_operand_values_t *xed_decoded_inst_operands(xed_decoded_inst_t *d) { return d; }
static inline const xed_operand_values_t *xed_decoded_inst_operands_const(const xed_decoded_inst_t *d) { return d; }

/* --- prefixes ----------------------------------------------------------------------------------------------- */

/* The last prefix that is one of `wanted` (a list that ends with 0), 0: there is none. */
static inline xed_uint8_t lp_xed_prefix(const xed_operand_values_t *p, const char *wanted)
{
    xed_uint8_t last = 0;
    xed_bool_t mode64 = xed_decoded_inst_get_machine_mode_bits(p) == 64;
    for (xed_uint_t i = 0; i < xed_decoded_inst_get_length(p); i++) {
        xed_uint8_t b = xed_decoded_inst_get_byte(p, i);
        const char *at = wanted, *any = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3";
        while (*any && (xed_uint8_t)*any != b)
            any++;
        if (!*any && !(mode64 && (b & 0xf0) == 0x40))
            break;
        while (*at && (xed_uint8_t)*at != b)
            at++;
        last = *at ? b : last;
    }
    return last;
}

static inline xed_bool_t xed_operand_values_has_rep_prefix(const xed_operand_values_t *p) { return lp_xed_prefix(p, "\xf2\xf3") == 0xf3; }
static inline xed_bool_t xed_operand_values_has_repne_prefix(const xed_operand_values_t *p) { return lp_xed_prefix(p, "\xf2\xf3") == 0xf2; }
static inline xed_bool_t xed_operand_values_has_real_rep(const xed_operand_values_t *p)
{
    return xed_decoded_inst_get_attribute(p, XED_ATTRIBUTE_REP) && lp_xed_prefix(p, "\xf2\xf3");
}
static inline xed_bool_t xed_operand_values_has_lock_prefix(const xed_operand_values_t *p) { return lp_xed_prefix(p, "\xf0") != 0; }
static inline xed_bool_t xed_operand_values_has_66_prefix(const xed_operand_values_t *p) { return lp_xed_prefix(p, "\x66") != 0; }
static inline xed_bool_t xed_operand_values_has_address_size_prefix(const xed_operand_values_t *p) { return lp_xed_prefix(p, "\x67") != 0; }
static inline xed_reg_enum_t xed_operand_values_segment_prefix(const xed_operand_values_t *p)
{
    xed_bool_t mode64 = xed_decoded_inst_get_machine_mode_bits(p) == 64;
    switch (lp_xed_prefix(p, mode64 ? "\x64\x65" : "\x26\x2e\x36\x3e\x64\x65")) {
    case 0x26: return XED_REG_ES;
    case 0x2e: return XED_REG_CS;
    case 0x36: return XED_REG_SS;
    case 0x3e: return XED_REG_DS;
    case 0x64: return XED_REG_FS;
    case 0x65: return XED_REG_GS;
    default: return XED_REG_INVALID;
    }
}
static inline xed_bool_t xed_operand_values_has_segment_prefix(const xed_operand_values_t *p) { return xed_operand_values_segment_prefix(p) != XED_REG_INVALID; }

/* --- the instruction ---------------------------------------------------------------------------------------- */
static inline xed_iclass_enum_t xed_operand_values_get_iclass(const xed_operand_values_t *p) { return xed_decoded_inst_get_iclass(p); }
static inline xed_bool_t xed_operand_values_get_long_mode(const xed_operand_values_t *p) { return xed_decoded_inst_get_machine_mode_bits(p) == 64; }
static inline xed_bool_t xed_operand_values_is_prefetch(const xed_operand_values_t *p) { return xed_decoded_inst_is_prefetch(p); }
static inline xed_bool_t xed_operand_values_is_nop(const xed_operand_values_t *p)
{
    xed_iclass_enum_t c = xed_decoded_inst_get_iclass(p);
    xed_reg_enum_t a = xed_decoded_inst_get_reg(p, XED_OPERAND_REG0);
    if (c != XED_ICLASS_XCHG)
        return c == XED_ICLASS_NOP || (c >= XED_ICLASS_NOP2 && c <= XED_ICLASS_NOP9);
    return a == xed_decoded_inst_get_reg(p, XED_OPERAND_REG1) && !(xed_operand_values_get_long_mode(p) && xed_gpr_reg_class(a) == XED_REG_CLASS_GPR32);
}

/* --- constants and displacements ---------------------------------------------------------------------------- */
static inline xed_bool_t xed_operand_values_has_immediate(const xed_operand_values_t *p) { return xed_decoded_inst_get_immediate_width_bits(p) != 0; }
static inline xed_uint_t xed_operand_values_get_immediate_is_signed(const xed_operand_values_t *p) { return xed_decoded_inst_get_immediate_is_signed(p); }
static inline xed_uint64_t xed_operand_values_get_immediate_uint64(const xed_operand_values_t *p) 
{
    xed_uint_t unused = 64 - xed_decoded_inst_get_immediate_width_bits(p);
    return unused == 64 ? 0 : xed_decoded_inst_get_unsigned_immediate(p) << unused >> unused;
}
static inline xed_int64_t xed_operand_values_get_immediate_int64(const xed_operand_values_t *p)
{
    xed_uint_t unused = 64 - xed_decoded_inst_get_immediate_width_bits(p);
    return unused == 64 ? 0 : (xed_int64_t)(xed_decoded_inst_get_unsigned_immediate(p) << unused) >> unused;
}
static inline xed_uint32_t xed_operand_values_get_branch_displacement_length_bits(const xed_operand_values_t *p) { return xed_decoded_inst_get_branch_displacement_width_bits(p); }
static inline xed_uint32_t xed_operand_values_get_branch_displacement_length(const xed_operand_values_t *p) { return xed_decoded_inst_get_branch_displacement_width(p); }
static inline xed_int64_t xed_operand_values_get_branch_displacement_int64(const xed_operand_values_t *p) { return xed_decoded_inst_get_branch_displacement(p); }
static inline xed_bool_t xed_operand_values_has_branch_displacement(const xed_operand_values_t *p) { return xed_decoded_inst_get_branch_displacement_width_bits(p) != 0; }
static inline xed_uint32_t xed_operand_values_get_memory_displacement_length_bits(const xed_operand_values_t *p) { return xed_decoded_inst_get_memory_displacement_width_bits(p, 0); }
static inline xed_uint32_t xed_operand_values_get_memory_displacement_length(const xed_operand_values_t *p) { return xed_decoded_inst_get_memory_displacement_width(p, 0); }
static inline xed_int64_t xed_operand_values_get_memory_displacement_int64(const xed_operand_values_t *p) { return xed_decoded_inst_get_memory_displacement(p, 0); }
static inline xed_bool_t xed_operand_values_has_memory_displacement(const xed_operand_values_t *p) { return xed_decoded_inst_get_memory_displacement_width_bits(p, 0) != 0; }
static inline xed_bool_t xed_operand_values_has_displacement(const xed_operand_values_t *p)
{
    return xed_operand_values_has_memory_displacement(p) || xed_operand_values_has_branch_displacement(p);
}

/* --- memory: not counted is an address that is only computed ------------------------------------------------- */
static inline unsigned int xed_operand_values_number_of_memory_operands(const xed_operand_values_t *p)
{
    const xed_inst_t *inst = xed_decoded_inst_inst(p);
    unsigned int n = 0;
    for (unsigned int i = 0; i < xed_inst_noperands(inst); i++) {
        xed_operand_enum_t name = xed_operand_name(xed_inst_operand(inst, i));
        n += name == XED_OPERAND_MEM0 || name == XED_OPERAND_MEM1;
    }
    return n;
}
static inline xed_bool_t xed_operand_values_accesses_memory(const xed_operand_values_t *p) { return xed_operand_values_number_of_memory_operands(p) != 0; }
static inline xed_reg_enum_t xed_operand_values_get_base_reg(const xed_operand_values_t *p, unsigned int n) { return xed_decoded_inst_get_base_reg(p, n); }
static inline xed_reg_enum_t xed_operand_values_get_index_reg(const xed_operand_values_t *p, unsigned int n) { return xed_decoded_inst_get_index_reg(p, n); }
static inline xed_reg_enum_t xed_operand_values_get_seg_reg(const xed_operand_values_t *p, unsigned int n) { return xed_decoded_inst_get_seg_reg(p, n); }
static inline unsigned int xed_operand_values_get_scale(const xed_operand_values_t *p)
{
    unsigned int scale = xed_decoded_inst_get_scale(p, 0);
    return xed_decoded_inst_number_of_memory_operands(p) && !scale ? 1 : scale;
}
static inline xed_bool_t xed_operand_values_get_atomic(const xed_operand_values_t *p)
{
    return xed_decoded_inst_get_attribute(p, XED_ATTRIBUTE_LOCKED) || (xed_decoded_inst_get_iclass(p) == XED_ICLASS_XCHG && xed_operand_values_accesses_memory(p));
}
static inline xed_bool_t xed_operand_values_lockable(const xed_operand_values_t *p)
{
    return xed_decoded_inst_get_attribute(p, XED_ATTRIBUTE_LOCKABLE) || (xed_decoded_inst_get_iclass(p) == XED_ICLASS_XCHG && xed_operand_values_accesses_memory(p));
}

/* --- what changes an instruction: for the encoder, or for what is asked of it afterwards ----------------------- */
#ifdef __cplusplus
extern "C" {
#endif
void xed_operand_values_init(xed_operand_values_t *p);
void xed_operand_values_init_set_mode(xed_operand_values_t *p, const xed_state_t *state);
void xed_operand_values_init_keep_mode(xed_operand_values_t *p, const xed_operand_values_t *from);
void xed_operand_values_set_mode(xed_operand_values_t *p, const xed_state_t *state);
void xed_operand_values_set_lock(xed_operand_values_t *p);
void xed_operand_values_clear_rep(xed_operand_values_t *p);
void xed_operand_values_set_iclass(xed_operand_values_t *p, xed_iclass_enum_t iclass);
void xed_operand_values_set_effective_operand_width(xed_operand_values_t *p, unsigned int bits);
void xed_operand_values_set_effective_address_width(xed_operand_values_t *p, unsigned int bits);
void xed_operand_values_set_memory_operand_length(xed_operand_values_t *p, unsigned int bytes);
void xed_operand_values_set_memory_displacement(xed_operand_values_t *p, xed_int64_t value, unsigned int bytes);
void xed_operand_values_set_memory_displacement_bits(xed_operand_values_t *p, xed_int64_t value, unsigned int bits);
void xed_operand_values_set_branch_displacement(xed_operand_values_t *p, xed_int64_t value, unsigned int bytes);
void xed_operand_values_set_branch_displacement_bits(xed_operand_values_t *p, xed_int64_t value, unsigned int bits);
void xed_operand_values_set_immediate_signed(xed_operand_values_t *p, xed_int32_t value, unsigned int bytes);
void xed_operand_values_set_immediate_signed_bits(xed_operand_values_t *p, xed_int32_t value, unsigned int bits);
void xed_operand_values_set_immediate_unsigned(xed_operand_values_t *p, xed_uint64_t value, unsigned int bytes);
void xed_operand_values_set_immediate_unsigned_bits(xed_operand_values_t *p, xed_uint64_t value, unsigned int bits);
void xed_operand_values_zero_immediate(xed_operand_values_t *p);
void xed_operand_values_zero_memory_displacement(xed_operand_values_t *p);
void xed_operand_values_zero_branch_displacement(xed_operand_values_t *p);
void xed_operand_values_zero_segment_override(xed_operand_values_t *p);
void xed_operand_values_set_relbr(xed_operand_values_t *p);
void xed_operand_values_set_absbr(xed_operand_values_t *p);
void xed_operand_values_set_operand_reg(xed_operand_values_t *p, xed_operand_enum_t name, xed_reg_enum_t reg);
void xed_operand_values_set_base_reg(xed_operand_values_t *p, unsigned int n, xed_reg_enum_t reg);
void xed_operand_values_set_seg_reg(xed_operand_values_t *p, unsigned int n, xed_reg_enum_t reg);
void xed_operand_values_set_index_reg(xed_operand_values_t *p, unsigned int n, xed_reg_enum_t reg);
void xed_operand_values_set_scale(xed_operand_values_t *p, xed_uint_t n, xed_uint_t scale);
void xed_decoded_inst_set_scale(xed_decoded_inst_t *d, xed_uint_t scale);
void xed_decoded_inst_set_memory_displacement(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bytes);
void xed_decoded_inst_set_memory_displacement_bits(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bits);
void xed_decoded_inst_set_branch_displacement(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bytes);
void xed_decoded_inst_set_branch_displacement_bits(xed_decoded_inst_t *d, xed_int64_t value, xed_uint_t bits);
void xed_decoded_inst_set_immediate_signed(xed_decoded_inst_t *d, xed_int32_t value, xed_uint_t bytes);
void xed_decoded_inst_set_immediate_signed_bits(xed_decoded_inst_t *d, xed_int32_t value, xed_uint_t bits);
void xed_decoded_inst_set_immediate_unsigned(xed_decoded_inst_t *d, xed_uint64_t value, xed_uint_t bytes);
void xed_decoded_inst_set_immediate_unsigned_bits(xed_decoded_inst_t *d, xed_uint64_t value, xed_uint_t bits);
void xed3_set_generic_operand(xed_decoded_inst_t *d, xed_operand_enum_t name, xed_uint32_t value);
void xed3_get_generic_operand(const xed_decoded_inst_t *d, xed_operand_enum_t name, void *out);
#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Forms of instructions and their operands as XED's published tables have them (xed_inst_t, xed_operand_t), ISA sets and chips. Operands that only stand for XED's bookkeeping
 * (STACKPUSH, X87PUSH) and segments that nobody named are not in the lists, so a number means the same operand here and in INS_Operand*. */
#ifndef LINCHPIN_XED_INST_H
#define LINCHPIN_XED_INST_H
#include "xed-types.h"

#define XED_FEATURE_VECTOR_MAX 6
/* Bit n is the ISA set n. */
typedef struct { xed_uint64_t f[XED_FEATURE_VECTOR_MAX]; } xed_chip_features_t;

#ifdef __cplusplus
extern "C" {
#endif
const xed_inst_t *xed_inst_table_base(void);
unsigned int xed_inst_cpl(const xed_inst_t *i);
xed_exception_enum_t xed_inst_exception(const xed_inst_t *i);
xed_isa_set_enum_t xed_inst_isa_set(const xed_inst_t *i);
xed_attributes_t xed_inst_get_attributes(const xed_inst_t *i);
xed_uint32_t xed_inst_flag_info_index(const xed_inst_t *i);
unsigned int xed_attribute_max(void);
xed_attribute_enum_t xed_attribute(unsigned int i);
xed_operand_type_enum_t xed_operand_type(const xed_operand_t *o);
xed_operand_width_enum_t xed_operand_width(const xed_operand_t *o);
xed_uint32_t xed_operand_width_bits(const xed_operand_t *o, xed_uint32_t eosz); /* eosz: 1, 2, 3 for 16, 32, 64 bits */
xed_operand_element_xtype_enum_t xed_operand_xtype(const xed_operand_t *o);
xed_nonterminal_enum_t xed_operand_nonterminal_name(const xed_operand_t *o);
xed_reg_enum_t xed_operand_reg(const xed_operand_t *o);
xed_uint32_t xed_operand_imm(const xed_operand_t *o);
xed_uint_t xed_operand_template_is_register(const xed_operand_t *o);
xed_uint_t xed_operand_conditional_read(const xed_operand_t *o);
xed_uint_t xed_operand_conditional_write(const xed_operand_t *o);
void xed_operand_print(const xed_operand_t *o, char *out, int bytes);

const xed_iform_info_t *xed_iform_map(xed_iform_enum_t form); /* NULL: there is none */
xed_iclass_enum_t xed_iform_to_iclass(xed_iform_enum_t form);
xed_category_enum_t xed_iform_to_category(xed_iform_enum_t form);
xed_extension_enum_t xed_iform_to_extension(xed_iform_enum_t form);
xed_isa_set_enum_t xed_iform_to_isa_set(xed_iform_enum_t form);
xed_uint32_t xed_iform_first_per_iclass(xed_iclass_enum_t iclass);
xed_uint32_t xed_iform_max_per_iclass(xed_iclass_enum_t iclass);

xed_bool_t xed_isa_set_is_valid_for_chip(xed_isa_set_enum_t isa_set, xed_chip_enum_t chip);
void xed_get_chip_features(xed_chip_features_t *p, xed_chip_enum_t chip);
void xed_modify_chip_features(xed_chip_features_t *p, xed_isa_set_enum_t isa_set, xed_bool_t present);
xed_error_enum_t xed_decode_with_features(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count, xed_chip_features_t *features);

xed_isa_set_enum_t xed_decoded_inst_get_isa_set(const xed_decoded_inst_t *d);
xed_bool_t xed_decoded_inst_valid_for_chip(const xed_decoded_inst_t *d, xed_chip_enum_t chip);
unsigned int xed_decoded_inst_get_iform_enum_dispatch(const xed_decoded_inst_t *d);
#ifdef __cplusplus
}
#endif
#endif

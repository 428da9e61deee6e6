/* SPDX-License-Identifier: Apache-2.0
 * XED's encoder: an instruction is described in the fields of a decoded one (xed_encoder_request_t) and made into bytes. A request is filled by hand, from a decoded instruction
 * (xed_encoder_request_init_from_decode), or from a description (xed-encoder-hl.h). Widths of constants and displacements are kept; among forms of the same widths the encoder chooses. */
#ifndef LINCHPIN_XED_ENCODE_H
#define LINCHPIN_XED_ENCODE_H
#include "xed-operand-accessors.h"

typedef xed_decoded_inst_t xed_encoder_request_t;
typedef struct xed_decoded_inst_s xed_encoder_request_s;

#ifdef __cplusplus
extern "C" {
#endif
void xed_encoder_request_zero(xed_encoder_request_t *p);
void xed_encoder_request_zero_set_mode(xed_encoder_request_t *p, const xed_state_t *state);
void xed_encoder_request_init_from_decode(xed_decoded_inst_t *d);
/* XED_ERROR_GENERAL_ERROR: there is no such instruction; XED_ERROR_BUFFER_TOO_SHORT: it has more than count bytes. */
xed_error_enum_t xed_encode(xed_encoder_request_t *r, xed_uint8_t *out, const unsigned int count, unsigned int *length);
/* One instruction that does nothing, of 1 to 9 bytes. */
xed_error_enum_t xed_encode_nop(xed_uint8_t *out, const unsigned int bytes);
void xed_encode_request_print(const xed_encoder_request_t *p, char *out, xed_uint_t bytes);

xed_iclass_enum_t xed_encoder_request_get_iclass(const xed_encoder_request_t *p);
void xed_encoder_request_set_iclass(xed_encoder_request_t *p, xed_iclass_enum_t iclass);
void xed_encoder_request_set_repne(xed_encoder_request_t *p);
void xed_encoder_request_set_rep(xed_encoder_request_t *p);
void xed_encoder_request_clear_rep(xed_encoder_request_t *p);
void xed_encoder_request_set_effective_operand_width(xed_encoder_request_t *p, xed_uint_t bits);
void xed_encoder_request_set_effective_address_size(xed_encoder_request_t *p, xed_uint_t bits);
void xed_encoder_request_set_reg(xed_encoder_request_t *p, xed_operand_enum_t name, xed_reg_enum_t reg);
void xed_encoder_request_zero_operand_order(xed_encoder_request_t *p);
void xed_encoder_request_set_operand_order(xed_encoder_request_t *p, xed_uint_t n, xed_operand_enum_t name);
xed_operand_enum_t xed_encoder_request_get_operand_order(xed_encoder_request_t *p, xed_uint_t n);
xed_uint_t xed_encoder_request_operand_order_entries(xed_encoder_request_t *p);
void xed_encoder_request_set_relbr(xed_encoder_request_t *p);
void xed_encoder_request_set_absbr(xed_encoder_request_t *p);
void xed_encoder_request_set_branch_displacement(xed_encoder_request_t *p, xed_int64_t displacement, xed_uint_t bytes);
void xed_encoder_request_set_ptr(xed_encoder_request_t *p);
void xed_encoder_request_set_uimm0(xed_encoder_request_t *p, xed_uint64_t value, xed_uint_t bytes);
void xed_encoder_request_set_uimm0_bits(xed_encoder_request_t *p, xed_uint64_t value, xed_uint_t bits);
void xed_encoder_request_set_uimm1(xed_encoder_request_t *p, xed_uint8_t value);
void xed_encoder_request_set_simm(xed_encoder_request_t *p, xed_int32_t value, xed_uint_t bytes);
void xed_encoder_request_set_memory_displacement(xed_encoder_request_t *p, xed_int64_t displacement, xed_uint_t bytes);
void xed_encoder_request_set_agen(xed_encoder_request_t *p);
void xed_encoder_request_set_mem0(xed_encoder_request_t *p);
void xed_encoder_request_set_mem1(xed_encoder_request_t *p);
void xed_encoder_request_set_memory_operand_length(xed_encoder_request_t *p, xed_uint_t bytes);
void xed_encoder_request_set_seg0(xed_encoder_request_t *p, xed_reg_enum_t reg);
void xed_encoder_request_set_seg1(xed_encoder_request_t *p, xed_reg_enum_t reg);
void xed_encoder_request_set_base0(xed_encoder_request_t *p, xed_reg_enum_t reg);
void xed_encoder_request_set_base1(xed_encoder_request_t *p, xed_reg_enum_t reg);
void xed_encoder_request_set_index(xed_encoder_request_t *p, xed_reg_enum_t reg);
void xed_encoder_request_set_scale(xed_encoder_request_t *p, xed_uint_t scale);
xed_operand_values_t *xed_encoder_request_operands(xed_encoder_request_t *p);
const xed_operand_values_t *xed_encoder_request_operands_const(const xed_encoder_request_t *p);
#ifdef __cplusplus
}
#endif
#endif

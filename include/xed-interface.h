/* SPDX-License-Identifier: Apache-2.0
 * The part of XED's interface that Pin's tools use, served by the engine from its own decoder and from what the published tables of XED say. Names and behaviour are XED's;
 * numbers and structures are ours. */
#ifndef LINCHPIN_XED_INTERFACE_H
#define LINCHPIN_XED_INTERFACE_H
#include <stdint.h>

#include "xed-cpuid-rec.h"
#include "xed-flags.h"
#include "xed-inst.h"
#include "xed-operand-accessors.h"
#include "xed-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- set-up and decoding ------------------------------------------------------------------------------------ */
void xed_tables_init(void);
const char *xed_get_version(void);
const char *xed_get_copyright(void);
void xed_state_zero(xed_state_t *s);
void xed_state_init(xed_state_t *s, xed_machine_mode_enum_t mode, xed_address_width_enum_t address_width, xed_address_width_enum_t stack_width);
void xed_state_init2(xed_state_t *s, xed_machine_mode_enum_t mode, xed_address_width_enum_t stack_width);
void xed_state_set_machine_mode(xed_state_t *s, xed_machine_mode_enum_t mode);
xed_machine_mode_enum_t xed_state_get_machine_mode(const xed_state_t *s);
void xed_decoded_inst_zero(xed_decoded_inst_t *d);
void xed_decoded_inst_zero_set_mode(xed_decoded_inst_t *d, const xed_state_t *s);
void xed_decoded_inst_zero_keep_mode(xed_decoded_inst_t *d);
void xed_decoded_inst_set_mode(xed_decoded_inst_t *d, xed_machine_mode_enum_t mode, xed_address_width_enum_t stack_width);
/* An instruction that the chip does not have is none (XED_ERROR_INVALID_FOR_CHIP). */
static inline void xed_decoded_inst_set_input_chip(xed_decoded_inst_t *d, xed_chip_enum_t chip) { xed3_operand_set_chip(d, chip); }
static inline xed_chip_enum_t xed_decoded_inst_get_input_chip(const xed_decoded_inst_t *d) { return xed3_operand_get_chip(d); }
void xed_decoded_inst_zero_keep_mode_from_operands(xed_decoded_inst_t *d, const xed_operand_values_t *from);
xed_error_enum_t xed_decode(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count);
/* Gives the same as xed_decode, which is more than XED's, but no more than the length needs to be asked for. */
xed_error_enum_t xed_ild_decode(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count);
void xed_decode_cache_initialize(xed_decode_cache_t *cache, xed_decode_cache_entry_t *entries, xed_uint32_t count);
xed_error_enum_t xed_decode_cache(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count, xed_decode_cache_t *cache);

/* --- the instruction ---------------------------------------------------------------------------------------- */
xed_bool_t xed_decoded_inst_valid(const xed_decoded_inst_t *d);
const xed_inst_t *xed_decoded_inst_inst(const xed_decoded_inst_t *d);
xed_iclass_enum_t xed_decoded_inst_get_iclass(const xed_decoded_inst_t *d);
xed_category_enum_t xed_decoded_inst_get_category(const xed_decoded_inst_t *d);
xed_extension_enum_t xed_decoded_inst_get_extension(const xed_decoded_inst_t *d);
xed_iform_enum_t xed_decoded_inst_get_iform_enum(const xed_decoded_inst_t *d);
xed_uint_t xed_decoded_inst_get_length(const xed_decoded_inst_t *d);
xed_uint8_t xed_decoded_inst_get_byte(const xed_decoded_inst_t *d, xed_uint_t i);
xed_uint_t xed_decoded_inst_get_machine_mode_bits(const xed_decoded_inst_t *d);
xed_uint32_t xed_decoded_inst_get_attribute(const xed_decoded_inst_t *d, xed_attribute_enum_t attribute);
xed_attributes_t xed_decoded_inst_get_attributes(const xed_decoded_inst_t *d);
xed_bool_t xed_decoded_inst_is_prefetch(const xed_decoded_inst_t *d);
xed_bool_t xed_decoded_inst_masked_vector_operation(const xed_decoded_inst_t *d);
xed_bool_t xed_decoded_inst_uses_rflags(const xed_decoded_inst_t *d);
xed_uint_t xed_decoded_inst_noperands(const xed_decoded_inst_t *d);
xed_iclass_enum_t xed_inst_iclass(const xed_inst_t *i);
xed_category_enum_t xed_inst_category(const xed_inst_t *i);
xed_extension_enum_t xed_inst_extension(const xed_inst_t *i);
xed_iform_enum_t xed_inst_iform_enum(const xed_inst_t *i);
xed_uint32_t xed_inst_get_attribute(const xed_inst_t *i, xed_attribute_enum_t attribute);
unsigned int xed_inst_noperands(const xed_inst_t *i);
const xed_operand_t *xed_inst_operand(const xed_inst_t *i, unsigned int n);
xed_iclass_enum_t xed_norep_map(xed_iclass_enum_t iclass);

/* --- operands ----------------------------------------------------------------------------------------------- */
xed_operand_enum_t xed_operand_name(const xed_operand_t *o);
xed_operand_visibility_enum_t xed_operand_operand_visibility(const xed_operand_t *o);
xed_operand_action_enum_t xed_operand_rw(const xed_operand_t *o);
xed_bool_t xed_operand_is_register(xed_operand_enum_t name);
xed_bool_t xed_operand_is_memory_addressing_register(xed_operand_enum_t name);
xed_uint_t xed_operand_read(const xed_operand_t *o);
xed_uint_t xed_operand_read_only(const xed_operand_t *o);
xed_uint_t xed_operand_written(const xed_operand_t *o);
xed_uint_t xed_operand_written_only(const xed_operand_t *o);
xed_uint_t xed_operand_read_and_written(const xed_operand_t *o);
xed_operand_action_enum_t xed_decoded_inst_operand_action(const xed_decoded_inst_t *d, unsigned int n);
unsigned int xed_decoded_inst_operand_length(const xed_decoded_inst_t *d, unsigned int n);
unsigned int xed_decoded_inst_operand_length_bits(const xed_decoded_inst_t *d, unsigned int n);
unsigned int xed_decoded_inst_operand_elements(const xed_decoded_inst_t *d, unsigned int n);
unsigned int xed_decoded_inst_operand_element_size_bits(const xed_decoded_inst_t *d, unsigned int n);
xed_operand_element_type_enum_t xed_decoded_inst_operand_element_type(const xed_decoded_inst_t *d, unsigned int n);
xed_reg_enum_t xed_decoded_inst_get_reg(const xed_decoded_inst_t *d, xed_operand_enum_t name);
xed_uint64_t xed_decoded_inst_get_unsigned_immediate(const xed_decoded_inst_t *d);
xed_int32_t xed_decoded_inst_get_signed_immediate(const xed_decoded_inst_t *d);
xed_uint_t xed_decoded_inst_get_immediate_is_signed(const xed_decoded_inst_t *d);
xed_uint_t xed_decoded_inst_get_immediate_width(const xed_decoded_inst_t *d);
xed_uint_t xed_decoded_inst_get_immediate_width_bits(const xed_decoded_inst_t *d);
xed_int64_t xed_decoded_inst_get_branch_displacement(const xed_decoded_inst_t *d);
xed_uint_t xed_decoded_inst_get_branch_displacement_width(const xed_decoded_inst_t *d);
xed_uint_t xed_decoded_inst_get_branch_displacement_width_bits(const xed_decoded_inst_t *d);

/* --- memory operands: numbered as in XED, where an address that is only computed counts too ------------------ */
xed_uint_t xed_decoded_inst_number_of_memory_operands(const xed_decoded_inst_t *d);
xed_bool_t xed_decoded_inst_mem_read(const xed_decoded_inst_t *d, unsigned int n);
xed_bool_t xed_decoded_inst_mem_written(const xed_decoded_inst_t *d, unsigned int n);
xed_bool_t xed_decoded_inst_mem_written_only(const xed_decoded_inst_t *d, unsigned int n);
xed_reg_enum_t xed_decoded_inst_get_base_reg(const xed_decoded_inst_t *d, unsigned int n);
xed_reg_enum_t xed_decoded_inst_get_index_reg(const xed_decoded_inst_t *d, unsigned int n);
xed_reg_enum_t xed_decoded_inst_get_seg_reg(const xed_decoded_inst_t *d, unsigned int n);
xed_uint_t xed_decoded_inst_get_scale(const xed_decoded_inst_t *d, unsigned int n);
xed_int64_t xed_decoded_inst_get_memory_displacement(const xed_decoded_inst_t *d, unsigned int n);
xed_uint_t xed_decoded_inst_get_memory_displacement_width(const xed_decoded_inst_t *d, unsigned int n); /* bytes */
xed_uint_t xed_decoded_inst_get_memory_displacement_width_bits(const xed_decoded_inst_t *d, unsigned int n);
unsigned int xed_decoded_inst_get_memory_operand_length(const xed_decoded_inst_t *d, unsigned int n); /* bytes */

/* --- registers ---------------------------------------------------------------------------------------------- */
xed_reg_class_enum_t xed_reg_class(xed_reg_enum_t r);
xed_reg_class_enum_t xed_gpr_reg_class(xed_reg_enum_t r);
xed_reg_enum_t xed_get_largest_enclosing_register(xed_reg_enum_t r);
xed_uint32_t xed_get_register_width_bits(xed_reg_enum_t r);
xed_uint32_t xed_get_register_width_bits64(xed_reg_enum_t r);

/* --- texts: 1, or 0 when it does not fit ---------------------------------------------------------------------- */
xed_bool_t xed_format_context(xed_syntax_enum_t syntax, const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address, void *context,
                              xed_disassembly_callback_fn_t callback);
xed_bool_t xed_format(xed_syntax_enum_t syntax, const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address);
xed_bool_t xed_decoded_inst_dump_intel_format(const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address);
xed_bool_t xed_decoded_inst_dump_att_format(const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address);
xed_bool_t xed_decoded_inst_dump_xed_format(const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address);
void xed_decoded_inst_dump(const xed_decoded_inst_t *d, char *out, int bytes);

/* --- addresses ---------------------------------------------------------------------------------------------- */
/* get_memop_address_width: of the registers of memory operand n, in bits. agen: where it is, from values of registers that the callbacks give: the instruction pointer is that of the next instruction; a segment's base is asked for
 * where it counts, and in real mode its selector. Of gathers and scatters the callback gives the index as it wants it. */
xed_uint_t xed_decoded_inst_get_memop_address_width(const xed_decoded_inst_t *d, xed_uint_t n);
typedef xed_uint64_t (*xed_register_callback_fn_t)(xed_reg_enum_t reg, void *context, xed_bool_t *error);
typedef xed_uint64_t (*xed_segment_base_callback_fn_t)(xed_reg_enum_t reg, void *context, xed_bool_t *error);
void xed_agen_register_callback(xed_register_callback_fn_t registers, xed_segment_base_callback_fn_t segments);
xed_error_enum_t xed_agen(xed_decoded_inst_t *d, unsigned int n, void *context, xed_uint64_t *address);

#ifdef __cplusplus
}
#endif
#include "xed-more.h"
#include "xed-encoder-hl.h"
#endif

/* SPDX-License-Identifier: Apache-2.0
 * xed_agen: addresses of memory operands, from the values that the caller's functions give. */
#include "api/xed_internal.h"

static xed_register_callback_fn_t register_value;
static xed_segment_base_callback_fn_t segment_base;

void xed_agen_register_callback(xed_register_callback_fn_t registers, xed_segment_base_callback_fn_t segments)
{
    register_value = registers;
    segment_base = segments;
}

xed_uint_t xed_decoded_inst_get_memop_address_width(const xed_decoded_inst_t *d, xed_uint_t n)
{
    xed_reg_enum_t base = xed_decoded_inst_get_base_reg(d, n), index = xed_decoded_inst_get_index_reg(d, n);
    if (base != XED_REG_INVALID)
        return xed_get_register_width_bits64(base);
    if (xed_reg_class(index) == XED_REG_CLASS_GPR)
        return xed_get_register_width_bits64(index);
    return xed_facts(d)->address_bits;
}

static bool is_flat(const xed_decoded_inst_t *d, xed_reg_enum_t segment)
{
    bool long_mode = xed_decoded_inst_get_machine_mode_bits(d) == 64;
    return segment == XED_REG_INVALID || (long_mode && segment != XED_REG_FS && segment != XED_REG_GS);
}

xed_error_enum_t xed_agen(xed_decoded_inst_t *d, unsigned int n, void *context, xed_uint64_t *address)
{
    xed_bool_t error = 0;
    if (!address)
        return XED_ERROR_NO_OUTPUT_POINTER;
    if (!register_value || !segment_base)
        return XED_ERROR_NO_AGEN_CALL_BACK_REGISTERED;
    if (n >= xed_decoded_inst_number_of_memory_operands(d))
        return XED_ERROR_BAD_MEMOP_INDEX;
    xed_reg_enum_t base = xed_decoded_inst_get_base_reg(d, n), index = xed_decoded_inst_get_index_reg(d, n),
                   segment = xed_decoded_inst_get_seg_reg(d, n);
    u64 at = (u64)xed_decoded_inst_get_memory_displacement(d, n);
    if (base != XED_REG_INVALID)
        at += register_value(base, context, &error);
    if (!error && index != XED_REG_INVALID)
        at += register_value(index, context, &error) * xed_decoded_inst_get_scale(d, n);
    u32 bits = xed_decoded_inst_get_memop_address_width(d, n);
    at &= bits < 64 ? (1ul << bits) - 1 : ~0ul;
    if (!error && !is_flat(d, segment)) {
        u64 from = segment_base(segment, context, &error);
        at += d->_operands.realmode ? from << 4 : from;
        at &= xed_decoded_inst_get_machine_mode_bits(d) == 64 ? ~0ul : ~0u;
    }
    if (error)
        return XED_ERROR_CALLBACK_PROBLEM;
    *address = at;
    return XED_ERROR_NONE;
}

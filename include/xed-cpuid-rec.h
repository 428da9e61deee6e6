/* SPDX-License-Identifier: Apache-2.0
 * Where CPUID says that a processor has an instruction: an ISA set has groups of which one must be there, a group has records of which all must be there. */
#ifndef LINCHPIN_XED_CPUID_REC_H
#define LINCHPIN_XED_CPUID_REC_H
#include "xed-types.h"

#define XED_MAX_CPUID_GROUPS_PER_ISA_SET (2)
#define XED_MAX_CPUID_RECS_PER_GROUP (4)

/* The bits bit_start to bit_end of the register that CPUID fills must have the value. */
typedef struct {
    xed_uint32_t leaf, subleaf;
    xed_reg_enum_t reg;
    xed_uint8_t bit_start, bit_end;
    xed_uint32_t value;
} xed_cpuid_rec_t;

#ifdef __cplusplus
extern "C" {
#endif
xed_cpuid_group_enum_t xed_get_cpuid_group_enum_for_isa_set(xed_isa_set_enum_t isa_set, xed_uint_t i);
xed_cpuid_rec_enum_t xed_get_cpuid_rec_enum_for_group(xed_cpuid_group_enum_t group, xed_uint_t i);
xed_bool_t xed_get_cpuid_rec(xed_cpuid_rec_enum_t rec, xed_cpuid_rec_t *out);
#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Forms of instructions: what the published tables of XED say of each. No state. */
#ifndef LP_X86_FORMS_H
#define LP_X86_FORMS_H
#include "base/base.h"
#include "xed-cpuid-rec.h"
#include "xed-flags.h"
#include "xed-types.h"

struct ins_facts;

/* NULL: the tables have no such encoding. */
const xed_inst_t *forms_find(const struct ins_facts *f);
u32 forms_broadcast(const struct ins_facts *f); /* XED's number of how one element becomes several, 0: it does not */
const xed_inst_t *forms_table(u32 *count);
const xed_operand_t *forms_operand(const xed_inst_t *form, u32 n); /* NULL: it has fewer */
const xed_attributes_t *forms_attributes(const xed_inst_t *form);
/* NULL: it does not touch flags. What some do depends on the constant and on prefixes of f. */
const xed_simple_flag_t *forms_flags(const xed_inst_t *form, const struct ins_facts *f);
const xed_flag_action_t *forms_flag_actions(const xed_simple_flag_t *flags);
const xed_iform_info_t *forms_info(u32 iform); /* NULL: there is no such number */
/* Kind (xed_operand_element_type_enum_t) and bits of an element of the type, 0: as many as the operand has. */
u32 forms_element_kind(u32 xtype);
u32 forms_element_bits(u32 xtype);
u32 forms_width_bits(u32 width, u32 operand_bits);
bool forms_chip_has(u32 chip, u32 isa_set);
u32 forms_cpuid_group(u32 isa_set, u32 n);
u32 forms_cpuid_record(u32 group, u32 n);
const xed_cpuid_rec_t *forms_cpuid(u32 record); /* NULL: there is no such number */
#endif

/* SPDX-License-Identifier: Apache-2.0
 * XED's objects are ours under another name: a decoded instruction and its form are struct ins_facts, an operand is
 * struct fact_operand. No state. */
#ifndef LP_API_XED_INTERNAL_H
#define LP_API_XED_INTERNAL_H
#include "facts.h"
#include "xed-interface.h"

_Static_assert(sizeof(struct ins_facts) <= sizeof(xed_decoded_inst_t), "xed_decoded_inst_t is too small");

static inline struct ins_facts *xed_facts_to_fill(xed_decoded_inst_t *d) { return (struct ins_facts *)d; }
static inline const struct ins_facts *xed_facts(const xed_decoded_inst_t *d) { return (const struct ins_facts *)d; }
static inline const struct ins_facts *xed_inst_facts(const xed_inst_t *i) { return (const struct ins_facts *)i; }
static inline const struct fact_operand *xed_fact(const xed_operand_t *o) { return (const struct fact_operand *)o; }

#endif

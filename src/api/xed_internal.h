/* SPDX-License-Identifier: Apache-2.0
 * XED's decoded instruction begins with ours (struct ins_facts); its fields are filled from it. No state. */
#ifndef LP_API_XED_INTERNAL_H
#define LP_API_XED_INTERNAL_H
#include "facts.h"
#include "xed-interface.h"

_Static_assert(sizeof(struct ins_facts) <= sizeof(((xed_decoded_inst_t *)0)->lp_state), "lp_state is too small");
_Static_assert(sizeof(xed_decoded_inst_t) == 1024, "tools have its size");

static inline struct ins_facts *xed_facts_to_fill(xed_decoded_inst_t *d) { return (struct ins_facts *)d->lp_state; }
static inline const struct ins_facts *xed_facts(const xed_decoded_inst_t *d)
{
    return (const struct ins_facts *)d->lp_state;
}

/* Fills the form and the fields from the facts; the mode is there already. */
void xed_fill(xed_decoded_inst_t *d);
bool xed_constant_is_signed(const struct ins_facts *f, const struct fact_operand *o);
/* The segment that an address has, XED_REG_INVALID: none (64-bit code without a prefix). */
u16 xed_segment(const struct ins_facts *f, const struct fact_operand *o);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * What an analysis call needs of the guest's state: which registers its arguments are made from, which of them it gets
 * by reference, and how much has to be saved around it. Under jit_lock. */
#ifndef LP_OPT_NEEDS_H
#define LP_OPT_NEEDS_H
#include "opt/objects.h"
#include "opt/pass.h"

/* Can the argument be loaded without another register? */
bool needs_nothing(u16 iarg);
/* Registers that its arguments are computed from, beside those that the instruction itself reads. */
reg_set needs_sources(const struct call *c);
/* Registers that must be in the context because the call gets references to them, or a context. */
reg_set needs_exposed(const struct call *c);
/* Does the call need the flags or the extended state in the context? */
bool needs_all(const struct call *c);
/* Does it need the instruction's condition or predicate? */
bool needs_condition(const struct call *c);
/* The guest's registers that it sees, beside those that the instruction itself reads. All of them: it sees the flags,
 * too. */
reg_set needs_observed(const struct call *c);
/* Is it enough to save what the routine changes (O4)? */
bool needs_little(const struct call *c);
/* For -log_inline: how the call is made there, and why not in a cheaper way. */
void needs_log(const struct call *c, bool little, enum bridge_place place);
/* The registers and flags that the guest needs after the calls of a place of `in`, and those that their arguments are
 * made from; pc: the guest's pc as they see it. */
struct live needs_live(struct pass *b, const struct insn *in, const struct call *list, enum bridge_place place,
                       gpc_t pc);

#endif

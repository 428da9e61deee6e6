/* SPDX-License-Identifier: Apache-2.0
 * Arguments of analysis calls that code without a bridge can make: constants, and what comes straight from the guest's registers. */
#ifndef LP_X86_SIMPLE_H
#define LP_X86_SIMPLE_H
#include "arch/x86/cpu.h"
#include "arch/x86/facts.h"

struct call_arg;
struct emit;

/* Is it one? */
bool simple_constant(struct ins *ins, const struct call_arg *a, u64 *v);
bool simple_address(struct ins *ins, const struct call_arg *a, struct mem_operand *m);
bool simple_register(const struct call_arg *a, enum gpr *r);
/* The guest's registers in place; `to` is none of them. No flags. */
void simple_load_address(struct emit *e, enum gpr to, const struct mem_operand *m);

#endif

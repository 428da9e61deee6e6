/* SPDX-License-Identifier: Apache-2.0
 * Gathers and scatters whose elements the tool puts elsewhere (INS_RewriteScatteredMemoryOperand). A call of the
 * engine's own after the tool's carries the instruction out, element by element, on the bridge state
 * (arch_prepare_calls adds it). In the instruction's place is only an access to the address that could not be accessed,
 * if there is one, so that faults are the guest's own. */
#ifndef LP_X86_SCATTERED_H
#define LP_X86_SCATTERED_H
#include "arch/x86/facts.h"

struct ins;
struct rewrite;

#define SCATTERED_MAX 16

/* Is operand n one of these? */
bool scattered_valid(const struct ins_facts *f, u32 n);
/* Lowers what is left of such an instruction. False: it is not one. */
bool rewrite_scattered(struct rewrite *w);

#endif

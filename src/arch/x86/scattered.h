/* SPDX-License-Identifier: Apache-2.0
 * Gathers and scatters whose elements the tool puts elsewhere (INS_RewriteScatteredMemoryOperand). A call of the
 * engine's own after the tool's carries the instruction out, element by element, on the bridge state (scattered_prepare
 * adds it). In the instruction's place is only an access to the address that could not be accessed, if there is one, so
 * that faults are the guest's own. */
#ifndef LP_X86_SCATTERED_H
#define LP_X86_SCATTERED_H
#include "arch/x86/elements.h"

struct ins;
struct lp_scattered_fn;
struct rewrite;

#define SCATTERED_MAX 16

/* IARG_REWRITE_SCATTERED_MEMOP gives its address; the first word is what C++ takes for the object's class. */
struct scattered_object {
    const struct lp_scattered_fn *fn;
    u32 n;
    struct element element[ELEMENTS_MAX];
};

/* again: not the first such argument of the instruction: it sees what the ones before it have set. */
void scattered_make(struct scattered_object *to, const struct ins_facts *f, bool again);
void scattered_put(const struct scattered_object *from, const struct ins_facts *f);
/* Is operand n one of these? */
bool scattered_valid(const struct ins_facts *f, u32 n);
/* Lowers what is left of such an instruction. False: it is not one. */
bool rewrite_scattered(struct rewrite *w);

#endif

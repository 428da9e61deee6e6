/* SPDX-License-Identifier: Apache-2.0
 * Registers that stay in the bridge's context (hold.h) from one trace to the next.
 *
 * B1 The first entry of a trace, its body, finds all registers in place: the VM, indirect branches and exits that do
 *    not bind come there. A trace that wants registers for analysis code has a second one (trace_binding): some
 *    registers are in the context, one perhaps has a constant of the tool's. The first entry stores them and falls
 *    through to it.
 * B2 An exit with registers in the context has a jump in front of the code that loads them (exit_binding). Linked to a
 *    trace with a second entry, that jump leads there: at once, if the registers are where they are wanted, or by way
 *    of a piece of code that belongs to that trace, which moves those that are not (bind_entry). Not linked, or to
 *    another trace, it leads to the loads.
 * B3 So stubs, the VM and far jumps never see such a state, and a link is one store, as all are.
 * B4 Not for traces that compare their source, that begin with a REP instruction or a hook, not with versions, and not
 *    where a trace record's place is carried (carry.h): there it gained nothing. */
#ifndef LP_OPT_BIND_H
#define LP_OPT_BIND_H
#include "opt/hold.h"

/* The first entry of a trace: chooses what the second one wants, and writes it. */
void bind_begin(struct pass *b);
/* Where an exit with that binding can jump to in `to`, perhaps to code written now that moves registers (struct
 * bound_piece); NULL: no room for it. */
u8 *bind_entry(const struct exit_binding *has, struct trace *to, const struct trace_binding *wants);

#endif

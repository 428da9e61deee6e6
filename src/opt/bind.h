/* SPDX-License-Identifier: Apache-2.0
 * Registers that stay in the bridge's context (hold.h) from one trace to the next. Under jit_lock.
 *
 * B1 The first entry of a trace, its body, finds all registers in place: the VM, indirect branches and exits that do
 *    not bind come there. A trace that wants registers for analysis code has a second entry (trace_binding), at which
 *    some registers are in the context, and one may have a constant of the tool's. The code at the first entry brings
 *    that about and falls through to the second.
 * B2 An exit with registers in the context has a jump before the code that loads them (exit_binding). Linked to a trace
 *    with a second entry, that jump leads there: directly, if the registers are where they are wanted, or through code
 *    that belongs to that trace and moves those that are not (bind_entry). While it is not linked, or linked to a trace
 *    without a second entry, the jump leads to the loads.
 * B3 So stubs, the VM and far jumps never see registers in the context, and a link is one store, as all are.
 * B4 There is no second entry in traces that compare their source or begin with a REP instruction or a hook, none with
 *    versions, and none where the place of a trace record is carried (carry.h): there it gained nothing. */
#ifndef LP_OPT_BIND_H
#define LP_OPT_BIND_H
#include "opt/hold.h"

/* At the first entry of a trace: chooses what is in the context at the second one, and writes the code between them. */
void bind_begin(struct pass *b);
/* Where an exit with that binding can jump to in `to`, perhaps to code written now that moves registers (struct
 * bound_piece); NULL: no room for it. */
u8 *bind_entry(const struct exit_binding *has, struct trace *to, const struct trace_binding *wants);

#endif

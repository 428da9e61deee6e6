/* SPDX-License-Identifier: Apache-2.0
 * Registers that stay in the bridge's context (hold.h) from one trace to the next.
 *
 * B1 The first entry of a trace, its body, finds all registers in place: the VM, indirect branches and exits that do not bind come there. A trace that wants registers for
 *    analysis code has a second one (trace_binding): some registers are in the context, one perhaps has a constant of the tool's. The first entry stores them and falls through to it.
 * B2 An exit with registers in the context has a jump in front of the code that loads them (exit_binding). Linked to a trace with a second entry, that jump leads there: at once, if the registers are where they
 *    are wanted, or by way of a piece of code that belongs to that trace, which moves those that are not (arch_bound_entry). Not linked, or to another trace, it leads to the loads.
 * B3 So stubs, the VM and far jumps never see such a state, and a link is one store, as all are.
 * B4 Not for traces that compare their source, that begin with a REP instruction or a hook, not with versions, and not where a trace record's place is carried (carry.h): there it gained nothing. */
#ifndef LP_X86_BIND_H
#define LP_X86_BIND_H
#include "arch/x86/hold.h"

/* The first entry of a trace: chooses what the second one wants, and writes it. */
void bind_begin(struct build *b);
/* c->pc is in a piece of code on the way to t (B2). */
#define BIND_MARK 0x90 /* its first byte: a nop */
void bind_recover(struct cpu_state *c, const struct trace *t, const u8 *entry);

#endif

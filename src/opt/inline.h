/* SPDX-License-Identifier: Apache-2.0
 * Inlined analysis routines: small ones, with branches and loops, that use only general registers and memory. Their
 * registers become others that the guest does not need, or that are in the context anyway (hold.h); stacks are not
 * switched. A signal that comes meanwhile waits until the guest's instruction after the calls is done (MAP_INLINE).
 * Under jit_lock. */
#ifndef LP_OPT_INLINE_H
#define LP_OPT_INLINE_H
#include "opt/pass.h"

/* Writes the calls of the list, before `in`. False: nothing has been written, and a bridge has to make them. */
bool inline_emit(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list);
/* How many registers the calls before instruction i will use; 0: none, or the calls are not inlined. *not: gets
 * registers that it must not be. *constant: gets the constant that is in one of them; 0: none. */
u32 inline_wants(struct pass *b, u32 i, reg_set *not, u64 *constant);

#endif

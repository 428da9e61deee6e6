/* SPDX-License-Identifier: Apache-2.0
 * Analysis routines inlined: small ones, with branches and loops, that use general registers and memory only. Their
 * registers become others that the guest does not need, or that are in the context anyway (hold.h); nothing is
 * switched. A signal that comes meanwhile waits until the guest's instruction behind the calls is done (MAP_INLINE). */
#ifndef LP_OPT_INLINE_H
#define LP_OPT_INLINE_H
#include "opt/pass.h"

/* The calls of the list, in front of `in`. False: nothing has been written, a bridge makes them. */
bool inline_emit(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list);
/* How many registers the calls in front of instruction i will want, 0: none, or they are not inlined. *not: not these;
 * *constant: in one of them, 0: none. */
u32 inline_wants(struct pass *b, u32 i, reg_set *not, u64 *constant);

#endif

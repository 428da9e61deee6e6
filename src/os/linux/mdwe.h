/* SPDX-License-Identifier: Apache-2.0
 * prctl(PR_SET_MDWE) as the guest has it (mdwe.c): the kernel is not told, because the engine writes code. */
#ifndef LP_MDWE_H
#define LP_MDWE_H
#include "base/base.h"

#define PR_SET_MDWE_NR 65
#define PR_GET_MDWE_NR 66

/* The guest's calls. */
void mdwe_set(void);
void mdwe_get(void);

/* --- what the rule forbids, as the kernel would say; mem_lock held. Flags are GMAP_* ------------------------------ */
bool mdwe_forbids(u32 old, u32 now); /* memory with the flags `old` gets `now`; new memory: both are the same */
/* Where in [start, end) the first area begins that may not get `now`; end: nowhere. */
u64 mdwe_protect_end(u64 start, u64 end, u32 now);

/* Another program is about to be executed, for which the rule does not hold: says so. */
void mdwe_tell_exec(void);
void mdwe_after_fork_child(void);
/* The engine leaves the process: the kernel gets the rule. Takes no lock. */
void mdwe_leave(void);

#endif

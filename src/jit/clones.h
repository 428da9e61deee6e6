/* SPDX-License-Identifier: Apache-2.0
 * Clones: copies of a function's translation for one place that calls it (returns.md, R1 to R6). In a clone the return
 * address is known, so a return is a comparison and a direct jump instead of an indirect one. A clone is a number, and
 * its traces have that number where tools have versions (cache.h): the two are never used together. What a clone's code
 * does never depends on where it is entered, so code that does not know of clones may go on in the original. Under
 * jit_lock. */
#ifndef LP_JIT_CLONES_H
#define LP_JIT_CLONES_H
#include "base/base.h"

extern bool clones_used; /* never with a tool */
void clones_init(void);
/* The clone that the call before `ret` goes to, 0: the function itself. */
u16 clones_for_call(gpc_t ret);
/* Where the code of a clone returns to; 0: there is no such clone any more. */
gpc_t clones_return(u16 clone);
/* Should returns to pc be counted, until there are enough for a clone? */
bool clones_count(gpc_t pc);
/* Returns to pc have been counted often enough: from now on its call goes to a clone. */
void clones_hot(gpc_t pc);
void clones_forget(void);

#endif

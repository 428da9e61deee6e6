/* SPDX-License-Identifier: Apache-2.0
 * Copies of functions for one place that calls them (returns.md, R1 to R6): there the return address is known, so a
 * return is a comparison and a direct jump instead of an indirect one. A clone is a number, and traces of it have that
 * number where tools have versions (cache.h): the two are never used together. What a clone's code does never depends
 * on where it is entered, so whoever does not know of clones may go on in the original. Under jit_lock. */
#ifndef LP_JIT_CLONES_H
#define LP_JIT_CLONES_H
#include "base/base.h"

extern bool clones_used; /* never with a tool */
void clones_init(void);
/* The clone that the call in front of `ret` goes to, 0: the function itself. */
u16 clones_for_call(gpc_t ret);
/* Where the code of a clone returns to; 0: there is no such clone any more. */
gpc_t clones_return(u16 clone);
/* Should returns to pc be counted, until they are many? */
bool clones_count(gpc_t pc);
/* There have been many. */
void clones_hot(gpc_t pc);
void clones_forget(void);

#endif

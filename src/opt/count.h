/* SPDX-License-Identifier: Apache-2.0
 * Counters of a trace (counts.h), while it is made: finds the calls that only count, chooses where in each basic block
 * to add, and has the additions written. Under jit_lock. */
#ifndef LP_OPT_COUNT_H
#define LP_OPT_COUNT_H
#include "opt/pass.h"

/* Takes the calls that only count, and those that write trace records inline (fill.h), out of the lists of the
 * instructions, and notes in the pass what is written instead. */
void count_plan(struct pass *b);
/* The additions before an instruction. */
void count_lower(struct pass *b, u32 insn);

#endif

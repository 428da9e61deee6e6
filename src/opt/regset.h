/* SPDX-License-Identifier: Apache-2.0
 * Sets of registers that tools hand in: bit n is register n (REGSET of the headers). */
#ifndef LP_OPT_REGSET_H
#define LP_OPT_REGSET_H
#include "base/base.h"

#define REGSET_WORDS 16

struct regset {
    u64 word[REGSET_WORDS];
};

/* IARG_PARTIAL_CONTEXT: what the routine reads and what it changes for the guest. */
struct regset_pair {
    struct regset in, out;
};

/* A copy that lives for ever, one for each value, because a tool may give sets that are on its stack. Under
 * jit_lock. */
const struct regset_pair *regset_keep(const struct regset *in, const struct regset *out);

/* The first member after `after`; 0: there is none. */
static inline u32 regset_next(const struct regset *s, u32 after)
{
    for (u32 r = after + 1; r < REGSET_WORDS * 64; r++)
        if (s->word[r / 64] >> (r % 64) & 1)
            return r;
    return 0;
}

#endif

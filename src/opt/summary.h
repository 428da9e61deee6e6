/* SPDX-License-Identifier: Apache-2.0
 * What a call of an analysis routine with known arguments comes to, found by running its operations (rop.h)
 * symbolically: nothing, or a constant added to one place in memory, which may be another one for each thread, or to a
 * tool register. */
#ifndef LP_OPT_SUMMARY_H
#define LP_OPT_SUMMARY_H
#include "opt/home.h"

struct summary {
    struct home at;
    s64 delta;
    u8 bytes;    /* of the counter; 0: the call does nothing */
    bool locked; /* atomic */
};

/* arg: the first nargs (at most 6) integer arguments. result: the tool register that gets what it returns, which is a
 * counter itself then; -1: none. False: it does more than that, or is not understood. Under jit_lock. */
bool summary_of(const void *fn, const struct home *arg, u32 nargs, int result, struct summary *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * What a call of an analysis routine with constant arguments comes to, found by running its instructions symbolically: nothing, or a constant added to one place in memory. */
#ifndef LP_X86_SUMMARY_H
#define LP_X86_SUMMARY_H
#include "base/base.h"

struct summary {
    u64 addr;
    s64 delta;
    u8 bytes;    /* of the counter; 0: the call does nothing */
    bool locked; /* atomic */
};

/* arg: the first nargs (at most 6) integer arguments. False: it does more than that, or is not understood. Under jit_lock. */
bool summary_of(const void *fn, const u64 *arg, u32 nargs, struct summary *out);
/* Memory of the host that never changes any more: *value is what is there. */
bool summary_constant(u64 addr, unsigned bytes, u64 *value);

#endif

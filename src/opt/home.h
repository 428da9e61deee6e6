/* SPDX-License-Identifier: Apache-2.0
 * Where a counter is: an address that is the same for all threads, or another one for each. Only types; no state. */
#ifndef LP_OPT_HOME_H
#define LP_OPT_HOME_H
#include "base/base.h"

/* An address, as a sum: v + by_thread * number of the thread + base. */
struct home {
    u64 v;
    s64 by_thread;
    enum home_base {
        HOME_FIXED,      /* base: 0 */
        HOME_POINTER,    /* base: the pointer that is at at + at_by_thread * number of the thread */
        HOME_TOOL_REG,   /* base: the tool's register number `at` */
        HOME_TOOL_VALUE, /* base: the place of that register, which is the counter */
        HOME_DATA,       /* base: the thread's data of the key `at` (PIN_SetThreadData) */
        HOME_DATA_KEY,   /* base: the thread's data of the key that is at `at` */
    } base;
    u64 at;
    s64 at_by_thread;
};

static inline bool home_same(const struct home *a, const struct home *b)
{
    return a->v == b->v && a->by_thread == b->by_thread && a->base == b->base && a->at == b->at &&
           a->at_by_thread == b->at_by_thread;
}

/* Is it the same address for all threads, always? */
static inline bool home_fixed(const struct home *p) { return p->base == HOME_FIXED && !p->by_thread; }

#endif

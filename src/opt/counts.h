/* SPDX-License-Identifier: Apache-2.0
 * Counters of a trace. Analysis calls that only add a constant to a place in memory need not run one by one: those of a
 * basic block are added once, at a place in it where that is cheapest. What an observer sees stays exact: whenever the
 * block is left in its middle (a fault, a signal), the difference between what was added and what the calls up to there
 * would have added is settled. */
#ifndef LP_OPT_COUNTS_H
#define LP_OPT_COUNTS_H
#include "base/base.h"

struct trace;
struct pass;

struct count {
    u64 addr;
    s64 sum;
    u32 done_off;     /* from the trace's body: where the addition is done */
    u16 item, nitems; /* the calls that it stands for (struct count_item) */
    u8 bytes;
    bool locked;
    bool in_thread;   /* addr is an offset from the start of the thread context */
    /* For the trace's first instruction if it repeats itself: sum is what each iteration adds (one is made at least),
     * and the additions of all iterations are made at once. */
    bool repeats;
};

struct count_item {
    u16 pc_off;       /* the call stands before the instruction there */
    s32 delta;
};

/* Counters are kept after the trace's map: for each of them flags, address, sum, done_off, and its calls, as
 * varints. */
u32 counts_max_bytes(const struct pass *b);
u8 *counts_encode(u8 *to, const struct pass *b); /* returns its end */
/* The guest leaves t at cache address body + off, before the instruction at pc_off, whose calls are done or not: makes
 * the counters exact (O2). left: how many iterations a repeated instruction has not made. On the guest's thread, in the
 * signal handler. */
void counts_settle(const struct trace *t, u32 off, u16 pc_off, bool calls_done, u64 left);

#endif

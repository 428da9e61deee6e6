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
    u32 done_off;     /* from the trace's body: from there on, sum has been added */
    u16 item, nitems; /* the calls that it stands for */
    u8 bytes;
    bool locked;
    bool in_thread;   /* addr is from the start of the thread context */
    /* Of a repeated instruction, the trace's first: sum is for each iteration, one at least; all are added at once. */
    bool repeats;
};

struct count_item {
    u16 pc_off;       /* the call stands in front of the instruction there */
    s32 delta;
};

/* Kept behind the trace's map: for each counter flags, address, sum, done_off, and its calls, as varints. */
u32 counts_max_bytes(const struct pass *b);
u8 *counts_encode(u8 *to, const struct pass *b); /* returns its end */
/* The guest leaves t at cache address body + off; it is in front of the instruction at pc_off, whose calls are done or
 * not. left: iterations that a repeated instruction has to go. On the guest's thread, in the signal handler. */
void counts_settle(const struct trace *t, u32 off, u16 pc_off, bool calls_done, u64 left);

#endif

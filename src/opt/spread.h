/* SPDX-License-Identifier: Apache-2.0
 * Counters spread over several places. An addition to the same place in every basic block is a chain through memory that the CPU cannot overlap (5 cycles each on the CPUs
 * measured), and one that threads share is worse. As long as all calls are counters, blocks add to one of a few places in their thread's context in turn, and what was added there
 * goes to the counter before anybody looks: whenever a thread leaves the cache, for all threads. So counts of several threads are exact too, though their routines do not lock.
 * It ends for good when the tool starts a thread of its own or when a call that is not a counter is inserted. Under jit_lock, but for spread_flush. */
#ifndef LP_OPT_SPREAD_H
#define LP_OPT_SPREAD_H
#include "base/base.h"

struct thread;

/* An address, as a sum: v + by_thread * number of the thread + base. */
struct home {
    u64 v;
    s64 by_thread;
    enum home_base {
        HOME_FIXED,    /* base: 0 */
        HOME_POINTER,  /* base: the pointer that is at at + at_by_thread * number of the thread */
        HOME_TOOL_REG, /* base: the tool's register number `at` */
        HOME_TOOL_VALUE, /* base: the place of that register, which is the counter */
        HOME_DATA,     /* base: the thread's data of the key `at` (PIN_SetThreadData) */
        HOME_DATA_KEY, /* base: the thread's data of the key that is at `at` */
    } base;
    u64 at;
    s64 at_by_thread;
};

bool home_same(const struct home *a, const struct home *b);
/* The same for everybody, always? */
static inline bool home_fixed(const struct home *p) { return p->base == HOME_FIXED && !p->by_thread; }

extern bool spread_used;

bool spread_on(void);
/* Will spread_next find room for the counter, whenever it is asked? Only such a counter may be at a place that is not fixed. */
bool spread_take(const struct home *counter, u8 bytes);
/* Where to add instead, from the start of the thread context, 8 bytes; 0: to the counter itself. */
size_t spread_next(const struct home *counter, u8 bytes);
/* What was added goes to the counters. Outside the cache. */
void spread_flush(void);
/* From now on, and in all code made so far: additions go to the counter itself. */
void spread_stop(void);

#endif

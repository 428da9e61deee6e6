/* SPDX-License-Identifier: Apache-2.0
 * Counters spread over several places. An addition to the same place in every basic block is a chain through memory
 * that the CPU cannot overlap (5 cycles each on the CPUs measured), and one that threads share is worse. As long as all
 * calls are counters, blocks add to one of a few places in their thread's context in turn, and what was added there
 * goes to the counter before anybody looks: whenever a thread leaves the cache, for all threads. So counts of several
 * threads are exact too, though their routines do not lock. It ends for good when the tool starts a thread of its own
 * or when a call that is not a counter is inserted. Under jit_lock, but for spread_flush. */
#ifndef LP_OPT_SPREAD_H
#define LP_OPT_SPREAD_H
#include "opt/home.h"

struct thread;

extern bool spread_used;

bool spread_on(void);
/* Will spread_next find room for the counter, whenever it is asked? Only such a counter may be at a place that is not
 * fixed. */
bool spread_take(const struct home *counter, u8 bytes);
/* Where to add instead, from the start of the thread context, 8 bytes; 0: to the counter itself. */
size_t spread_next(const struct home *counter, u8 bytes);
/* Adds what is in the places to the counters. To be called outside of the cache. */
void spread_flush(void);
/* Ends spreading: from now on additions go to the counter itself, and all code made so far goes. */
void spread_stop(void);

#endif

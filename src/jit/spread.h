/* SPDX-License-Identifier: Apache-2.0
 * Counters spread over several places. An addition to the same place in every basic block is a chain through memory that the CPU cannot overlap (5 cycles each on the CPUs
 * measured); as long as nobody but one thread in the cache can see the counter, blocks add to one of a few places in turn, and their sum goes to the counter before anybody looks: when the thread
 * leaves the cache. It ends for good when a second thread starts (the guest's or the tool's) or when a call that is not a counter is inserted. Under jit_lock, but for spread_flush. */
#ifndef LP_JIT_SPREAD_H
#define LP_JIT_SPREAD_H
#include "base/base.h"

extern bool spread_used;

bool spread_on(void);
/* Is there one thread only, for now? What is built on it is made again when that ends. */
bool spread_one_thread(void);
/* Where to add instead of addr, 0: there. */
u64 spread_place(u64 addr, u8 bytes);
/* What was added goes to the counters. On the one thread, outside the cache. */
void spread_flush(void);
/* From now on, and in all code made so far: additions go to the counter itself. */
void spread_stop(void);

#endif

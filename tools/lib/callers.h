/* SPDX-License-Identifier: Apache-2.0
 * -stack N: counts by the N calls that led to an event, for tools whose events are rare enough to look at the stack at each (misses of caches, mispredictions). Analysis routines
 * call callers_count on any thread; the rest is called under the client lock. */
#ifndef CALLERS_H
#define CALLERS_H
#include "lib/where.h"

/* After where_start. metrics: of the result. FALSE: nobody has asked for stacks, and nothing else here may be called. */
BOOL callers_start(size_t metrics);
/* The stack of the thread that executes the instruction at pc. */
UINT32 callers_take(THREADID tid, ADDRINT pc, ADDRINT sp, ADDRINT bp);
VOID callers_count(UINT32 stack, size_t metric, UINT64 n);
/* Adds what was counted to the result's stacks, the largest first. Before where_drop_metrics and where_write. */
VOID callers_into(Result *result);
VOID callers_reset();

#endif

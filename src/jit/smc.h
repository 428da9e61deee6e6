/* SPDX-License-Identifier: Apache-2.0
 * Changed code, for tools that want to hear of it: traces then keep the bytes that they were made from (checked ones
 * always do). When a trace is invalidated its bytes stay here, and are compared when its address is translated again.
 * Under jit_lock. */
#ifndef LP_JIT_SMC_H
#define LP_JIT_SMC_H
#include "cache/events.h"

/* The bytes that the trace was made from; of those with TRACE_SOURCE. */
const u8 *smc_source(const struct trace *t);
void smc_trace_made(struct trace *t);
void smc_trace_killed(struct trace *t);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Removal of traces as a tool asks for it, at any time: at once where the cache is at rest, else before the next entry
 * into it. jit_lock held. */
#ifndef LP_JIT_REQUESTS_H
#define LP_JIT_REQUESTS_H

#include "cache/cache.h"

/* Between the two, a trace is in the making; may nest. */
void jit_work_begin(void);
void jit_work_end(void);
/* Inside of the above, around a place where all is at rest after all. Returns the depth for _again. */
u32 jit_work_pause(void);
void jit_work_again(u32 depth);

void jit_request_flush(void);
/* Traces with code in [start, end): how many there are. */
u32 jit_request_removal(gpc_t start, gpc_t end);
/* Traces that start at pc, likewise. */
u32 jit_request_removal_at(gpc_t pc);
/* What waits is done now; the calling thread's epoch says already which code it is about to enter. */
extern bool jit_requests_wait;
void jit_requests_carry_out(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Removal of traces at a tool's request, which may come at any time: it is carried out at once where no trace is in the
 * making, else before the next entry into the cache. jit_lock held. */
#ifndef LP_JIT_REQUESTS_H
#define LP_JIT_REQUESTS_H

#include "cache/cache.h"

/* From begin to end a trace is in the making; the pairs may nest. */
bool jit_works(void);
void jit_work_begin(void);
void jit_work_end(void);
/* Within such a pair, around a place where traces may be removed after all. Returns the depth, for _again. */
u32 jit_work_pause(void);
void jit_work_again(u32 depth);

void jit_request_flush(void);
/* Removes the traces with code in [start, end). Returns how many there are. */
u32 jit_request_removal(gpc_t start, gpc_t end);
/* The same for traces that start at pc. */
u32 jit_request_removal_at(gpc_t pc);
/* Carries out the requests that wait. The calling thread's epoch already says which code it is about to enter. */
extern bool jit_requests_wait;
void jit_requests_carry_out(void);

#endif

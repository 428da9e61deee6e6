/* SPDX-License-Identifier: Apache-2.0
 * Code that changes back and forth: traces of one address that check themselves (E16) stay in the cache although the
 * bytes there are others now. They are a chain. The first is in the directory; each goes on to the next when its bytes
 * are not there. All under jit_lock. */
#ifndef LP_JIT_VARIANTS_H
#define LP_JIT_VARIANTS_H
#include "cache/cache.h"

/* Not where a tool hears of each change of code, or of each trace that goes. */
bool variants_used(void);
/* The trace that `stale`, whose bytes are not there any more, goes on to; NULL: one has to be made. Where there are as
 * many as there may be, they are dead then. */
struct trace *variants_next(const struct trace *stale);
/* A trace was made for the address of others. */
void variants_add(struct trace *first, struct trace *t);
/* The trace is dying: it leaves its chain, and if it was the first, the next is in the directory now. */
void variants_leave(struct trace *t);
/* Of the trace that is made next, the bytes that have been others in each variant: one bit each. 0: not known. */
extern u64 variants_varying;

#endif

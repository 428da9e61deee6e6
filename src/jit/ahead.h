/* SPDX-License-Identifier: Apache-2.0
 * What is done before the guest asks for it, so that it need not come to the VM for each: a new trace is linked to
 * those that there are already; and where the guest has come to is made together with what it will execute next in any
 * case, the place that a call returns to included. Not with a tool, which would be told of code that is perhaps never
 * executed; off: -no_ahead. Under jit_lock. */
#ifndef LP_JIT_AHEAD_H
#define LP_JIT_AHEAD_H
#include "cache/cache.h"

/* Links the exits of a new trace. */
void ahead_link(struct trace *t);
/* The guest goes to `t` by the exit x, which is not linked yet; NULL: by none. made: the trace is new. This may flush
 * the cache, t included. */
void ahead_make(const struct exit *x, struct trace *t, bool made);

#endif

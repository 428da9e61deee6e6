/* SPDX-License-Identifier: Apache-2.0
 * What children of forks do first in the cache: each would translate and link the same code again, because its parent
 * never runs it. All under jit_lock.
 *
 *  FK4  A child notes what it has made, in memory that it shares with its parent; the parent does the same before its
 *      next fork, and the next child finds it done. A note is a hint: whatever it says, what is made of it is right.
 *      Without a tool only: a tool would hear of traces that nobody runs. */
#ifndef LP_JIT_FORKS_H
#define LP_JIT_FORKS_H
#include "cache/cache.h"

extern bool forks_noting;
/* Takes address space for the notes. Called before all else that maps host memory for the cache, so that the notes,
 * which are shared, are at its end and do not divide it: each mapping makes a fork slower. */
void forks_reserve(void);
void forks_before(void); /* in the parent, before a fork */
void forks_child(void);
/* The dispatcher has come from that exit (NULL: from none that is linked), or by an indirect branch, to t. */
void forks_note(const struct exit *from, const struct trace *t, bool indirect);

#endif

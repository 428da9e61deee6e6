/* SPDX-License-Identifier: Apache-2.0
 * The order in which a thread may take the engine's locks (engine.md, "Locks"): a later one of this list while it
 * holds earlier ones, never the other way round. A build with -DLP_LOCK_RANKS (make check-ranks) notes for each
 * thread what it holds and where it took it, and a wrong order is a bug that names both locks and both places. In
 * all other builds every function here is empty. Locks of tools have no rank: their file defines LP_LOCK_UNRANKED. */
#ifndef LP_LOCKRANK_H
#define LP_LOCKRANK_H
#include "base/base.h"

#define LOCK_RANKS(X) \
    X(NONE, "a lock without a rank") \
    X(STUB, "what the debugger has asked for") \
    X(CLIENT, "client lock") \
    X(PROCESS, "process") \
    X(NATIVE_NEW, "new threads in probe mode") \
    X(PROCREAD, "procread") \
    X(MEM, "mem") \
    X(STACKS, "host stacks") \
    X(JIT, "jit") \
    X(IMAGES, "images") \
    X(THUNKS, "thunks") \
    X(THREADS, "thread list") \
    X(WATCHES, "watchpoints") \
    X(PROBES, "probes") \
    X(GMAP, "gmap") \
    X(HOSTMEM, "hostmem") \
    X(HEAP_START, "start of the heap") \
    X(HEAP_CLASS, "class of the heap") /* of these alone a thread may hold several, in the order of their addresses */ \
    X(HEAP_SEGMENT, "segments of the heap") \
    X(HEAP_BIG, "big blocks of the heap") \
    X(INTEREST, "system call interest") \
    X(LIMITS, "limits") \
    X(SIGNALS, "signal actions") \
    X(INTERNAL, "internal threads") \
    X(FILES, "descriptors of files") \
    X(VISITS, "threads that are still to come") \
    X(HOSTFDS, "host descriptors") \
    X(DEBUG, "the debugger's connection") \
    X(TURN, "the turn of recorded threads")

#define LOCK_RANK_NAME(name, text) LOCK_##name,
enum lock_rank { LOCK_RANKS(LOCK_RANK_NAME) };
#undef LOCK_RANK_NAME

#if defined(LP_LOCK_RANKS) && !defined(LP_LOCK_UNRANKED)
/* Called before the lock is waited for; shared: for reading. */
void lockrank_take(enum lock_rank rank, const void *lock, bool shared);
void lockrank_give(const void *lock);
/* In a child of fork, whose thread may or may not hold it. */
void lockrank_reset(const void *lock);
/* No lock is held but perhaps the client lock, which a tool may keep as long as it likes. what: says what will be
 * done now. */
void lockrank_free(const char *what);
#else
static inline void lockrank_take(enum lock_rank rank, const void *lock, bool shared)
{
    (void)rank, (void)lock, (void)shared;
}
static inline void lockrank_give(const void *lock) { (void)lock; }
static inline void lockrank_reset(const void *lock) { (void)lock; }
static inline void lockrank_free(const char *what) { (void)what; }
#endif

#endif

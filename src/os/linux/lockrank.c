/* SPDX-License-Identifier: Apache-2.0
 * See lockrank.h. Owns each thread's list of the locks that it holds; empty unless built with -DLP_LOCK_RANKS, and
 * then with frame pointers. Takes no lock and no memory. A signal handler that takes locks gives them back before it
 * returns, so what it adds to the interrupted thread's list it takes away again. */
#include "os/lockrank.h"

#ifdef LP_LOCK_RANKS
#include "os/hostsym.h"

#define MAX_HELD 128 /* a fork holds all of them, with one for each class of the heap */

struct held {
    const void *lock;
    u64 at, from; /* the place in the code, and the caller of the function that it is in */
    enum lock_rank rank;
    bool shared;
};

static __thread struct held held[MAX_HELD] __attribute__((tls_model("local-exec")));
static __thread u32 nheld __attribute__((tls_model("local-exec")));

#define LOCK_RANK_TEXT(name, text) text,
static const char *const names[] = {LOCK_RANKS(LOCK_RANK_TEXT)};

static void say_place(const char *lead, u64 pc)
{
    struct hostsym s;
    hostsym_find(pc - 1, &s);
    msg("    %s %s (%s+0x%lx)", lead, s.name[0] ? s.name : "?", hostsym_base_name(&s), s.offset);
}

static void say(const char *lead, const struct held *h)
{
    msg("  %s %s %p%s", lead, names[h->rank], h->lock, h->shared ? ", for reading" : "");
    say_place("in", h->at);
    say_place("called from", h->from);
}

static NORETURN void complain(const char *why, const struct held *wanted)
{
    for (u32 i = 0; i < nheld; i++)
        say("holds", &held[i]);
    say("wants", wanted);
    BUG("lock ranks: %s", why);
}

/* What is wrong with taking `w` as well as `h`; NULL: nothing. */
static const char *objection(const struct held *h, const struct held *w)
{
    if (h->lock == w->lock)
        return h->shared && w->shared ? NULL : "the thread has this lock already";
    if (h->rank == w->rank)
        return w->rank == LOCK_HEAP_CLASS && h->lock < w->lock ? NULL : "two locks of one rank";
    return h->rank > w->rank ? "a lock of a lower rank is taken after one of a higher rank" : NULL;
}

/* Not inlined, so that the caller's frame is the next one up from this function's. */
__attribute__((noinline)) void lockrank_take(enum lock_rank rank, const void *lock, bool shared)
{
    void **frame = __builtin_frame_address(0), **callers = frame[0];
    struct held w = {lock, (u64)frame[1], (u64)callers[1], rank, shared};
    const char *why = rank == LOCK_NONE   ? "a lock without a rank"
                      : nheld == MAX_HELD ? "more locks than there are"
                                          : NULL;
    for (u32 i = 0; i < nheld && !why; i++)
        why = objection(&held[i], &w);
    if (why)
        complain(why, &w);
    held[nheld] = w;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    nheld++;
}

static bool forget(const void *lock)
{
    u32 i = nheld;
    while (i && held[i - 1].lock != lock)
        i--;
    if (!i)
        return false;
    for (; i < nheld; i++)
        held[i - 1] = held[i];
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    nheld--;
    return true;
}

void lockrank_give(const void *lock)
{
    if (!forget(lock))
        BUG("lock ranks: %p is given back by a thread that does not hold it", lock);
}

void lockrank_reset(const void *lock) { forget(lock); }

void lockrank_free(const char *what)
{
    for (u32 i = 0; i < nheld; i++)
        if (held[i].rank != LOCK_CLIENT) {
            say("holds", &held[i]);
            BUG("lock ranks: %s while a lock is held", what);
        }
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * The engine's small locks, on futexes: usable before main, in any thread, without malloc or libc state, errno
 * untouched. A child of fork resets them by assignment (hostlock_reset), which libc's locks do not allow. Owns no
 * state. Not recursive; a holder must not take a signal whose handler wants the same lock. Each lock of the engine
 * has its rank from the start: HOSTLOCK(LOCK_...), or hostlock_init. */
#ifndef LP_HOSTLOCK_H
#define LP_HOSTLOCK_H
#include "os/lockrank.h"

#include <time.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(LP_LOCK_RANKS) && !defined(LP_LOCK_UNRANKED)
#define HOSTLOCK_RANK enum lock_rank rank;
#define HOSTLOCK(r) {.rank = (r)}
#define hostlock_rank(l) ((l)->rank)
#else
#define HOSTLOCK_RANK
#define HOSTLOCK(r) {0}
#define hostlock_rank(l) LOCK_NONE
#endif

struct hostlock {
    u32 state; /* 0 free, 1 held, 2 held and perhaps waited for */
    HOSTLOCK_RANK
};

/* Readers do not exclude each other and are never held up by a waiting writer, so a reader may nest. */
struct hostrwlock {
    u32 state;   /* number of readers, or HOSTRW_WRITER */
    u32 waiting; /* somebody may sleep */
    u32 wakes;   /* what they sleep on: a count, because state may come back to the value that a sleeper has seen */
    HOSTLOCK_RANK
};
#define HOSTRW_WRITER 0x80000000u

static inline void hostlock_futex(u32 *word, int op, u32 value)
{
    int saved = errno;
    syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
    errno = saved;
}

/* Sleeps while *word is value, at most so long. */
static inline void hostlock_futex_until(u32 *word, u32 value, const struct timespec *most)
{
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, most, NULL, 0);
    errno = saved;
}

static inline void hostlock_futex_1ms(u32 *word, u32 value)
{
    hostlock_futex_until(word, value, &(struct timespec){0, 1000000});
}

/* For one in fresh memory, which is all zero. */
static inline void hostlock_init(struct hostlock *l, enum lock_rank rank)
{
#if defined(LP_LOCK_RANKS) && !defined(LP_LOCK_UNRANKED)
    l->rank = rank;
#else
    (void)l, (void)rank;
#endif
}

static inline void hostlock_take(struct hostlock *l)
{
    u32 seen = 0;
    lockrank_take(hostlock_rank(l), l, false);
    if (LIKELY(__atomic_compare_exchange_n(&l->state, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
        return;
    while (__atomic_exchange_n(&l->state, 2, __ATOMIC_ACQUIRE) != 0)
        hostlock_futex(&l->state, FUTEX_WAIT, 2);
}

static inline bool hostlock_try(struct hostlock *l)
{
    u32 seen = 0;
    return __atomic_compare_exchange_n(&l->state, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void hostlock_give(struct hostlock *l)
{
    lockrank_give(l);
    if (UNLIKELY(__atomic_exchange_n(&l->state, 0, __ATOMIC_RELEASE) == 2))
        hostlock_futex(&l->state, FUTEX_WAKE, 1);
}

static inline void hostlock_reset(struct hostlock *l)
{
    lockrank_reset(l);
    __atomic_store_n(&l->state, 0, __ATOMIC_RELEASE);
}

/* Sleeps until the lock is given back, unless none of the bits in `busy` is set any more. Whoever gives it back
 * after `waiting` was set steps `wakes`. */
static inline void hostrw_wait(struct hostrwlock *l, u32 busy)
{
    u32 wakes = __atomic_load_n(&l->wakes, __ATOMIC_SEQ_CST);
    __atomic_store_n(&l->waiting, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&l->state, __ATOMIC_SEQ_CST) & busy)
        hostlock_futex(&l->wakes, FUTEX_WAIT, wakes);
}

static inline void hostrw_wake(struct hostrwlock *l)
{
    if (LIKELY(!__atomic_load_n(&l->waiting, __ATOMIC_SEQ_CST)) ||
        !__atomic_exchange_n(&l->waiting, 0, __ATOMIC_SEQ_CST))
        return;
    __atomic_fetch_add(&l->wakes, 1, __ATOMIC_SEQ_CST);
    hostlock_futex(&l->wakes, FUTEX_WAKE, INT_MAX);
}

static inline void hostrw_read(struct hostrwlock *l)
{
    lockrank_take(hostlock_rank(l), l, true);
    u32 seen = __atomic_load_n(&l->state, __ATOMIC_RELAXED);
    for (;;) {
        if (seen & HOSTRW_WRITER) {
            hostrw_wait(l, HOSTRW_WRITER);
            seen = __atomic_load_n(&l->state, __ATOMIC_RELAXED);
        } else if (__atomic_compare_exchange_n(&l->state, &seen, seen + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
            return;
        }
    }
}

static inline bool hostrw_try_read(struct hostrwlock *l)
{
    u32 seen = __atomic_load_n(&l->state, __ATOMIC_RELAXED);
    while (!(seen & HOSTRW_WRITER))
        if (__atomic_compare_exchange_n(&l->state, &seen, seen + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return true;
    return false;
}

static inline bool hostrw_try_write(struct hostrwlock *l)
{
    u32 seen = 0;
    return __atomic_compare_exchange_n(&l->state, &seen, HOSTRW_WRITER, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline void hostrw_read_done(struct hostrwlock *l)
{
    lockrank_give(l);
    if (__atomic_sub_fetch(&l->state, 1, __ATOMIC_SEQ_CST) == 0)
        hostrw_wake(l);
}

static inline void hostrw_write(struct hostrwlock *l)
{
    u32 seen = 0;
    lockrank_take(hostlock_rank(l), l, false);
    while (!__atomic_compare_exchange_n(&l->state, &seen, HOSTRW_WRITER, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        hostrw_wait(l, ~0u);
        seen = 0;
    }
}

static inline void hostrw_write_done(struct hostrwlock *l)
{
    lockrank_give(l);
    __atomic_store_n(&l->state, 0, __ATOMIC_SEQ_CST);
    hostrw_wake(l);
}

static inline void hostrw_reset(struct hostrwlock *l)
{
    lockrank_reset(l);
    l->state = l->waiting = l->wakes = 0;
}

#endif

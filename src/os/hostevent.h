/* SPDX-License-Identifier: Apache-2.0
 * An event that stays set until it is cleared, on a futex. All zero: not set. Signals that arrive do not end a wait. */
#ifndef LP_HOSTEVENT_H
#define LP_HOSTEVENT_H
#include "os/hostlock.h"

#include <time.h>

#define HOSTEVENT_FOREVER (~0u)

struct hostevent {
    u32 set;
};

static inline bool hostevent_is_set(const struct hostevent *e) { return __atomic_load_n(&e->set, __ATOMIC_ACQUIRE); }
static inline void hostevent_clear(struct hostevent *e) { __atomic_store_n(&e->set, 0, __ATOMIC_SEQ_CST); }

static inline void hostevent_set(struct hostevent *e)
{
    if (!__atomic_exchange_n(&e->set, 1, __ATOMIC_SEQ_CST))
        hostlock_futex(&e->set, FUTEX_WAKE, INT_MAX);
}

static inline struct timespec hostevent_deadline(u32 ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* False: the time is over and it is not set. */
static inline bool hostevent_wait(struct hostevent *e, u32 ms)
{
    if (hostevent_is_set(e))
        return true;
    struct timespec end = {0, 0};
    if (ms != HOSTEVENT_FOREVER)
        end = hostevent_deadline(ms);
    int saved = errno;
    while (!hostevent_is_set(e)) {
        long r = syscall(SYS_futex, &e->set, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0,
                         ms == HOSTEVENT_FOREVER ? NULL : &end, NULL, FUTEX_BITSET_MATCH_ANY);
        if (r < 0 && errno == ETIMEDOUT)
            break;
    }
    errno = saved;
    return hostevent_is_set(e);
}

#endif

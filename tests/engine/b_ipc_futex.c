// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Raw futexes: EAGAIN, timeouts, wake counts, bitsets, requeue.
#include "b_check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

static int word, other;

static long futex(int *f, int op, int val, const void *timeout, int *f2, int val3)
{
    return syscall(SYS_futex, f, op, val, timeout, f2, val3);
}

static void *sleeper(void *arg)
{
    while (futex(&word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0) == -1)
        CHECK(errno == EINTR);
    return arg;
}

int main(void)
{
    struct timespec ms = { 0, 1000000 }, past = { 1, 0 };
    pthread_t t[4];
    CHECK_ERR(futex(&word, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0), EAGAIN);
    CHECK_ERR(futex(&word, FUTEX_WAIT_PRIVATE, 0, &ms, 0, 0), ETIMEDOUT);
    CHECK_ERR(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, &past, 0, 1), ETIMEDOUT);
    CHECK_ERR(futex(&word, FUTEX_WAIT_BITSET, 0, 0, 0, 0), EINVAL);
    CHECK_ERR(futex((int *)2, FUTEX_WAIT, 0, 0, 0, 0), EINVAL);
    CHECK(futex(&word, FUTEX_WAKE_PRIVATE, 10, 0, 0, 0) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&t[i], 0, sleeper, 0) == 0);
    int moved = 0, woken = 0; /* requeue the sleepers one by one: each sleeps, then (again, if the kernel woke it by mistake: it waits at the first place then) */
    while (moved < 4)
        moved += futex(&word, FUTEX_REQUEUE_PRIVATE, 0, (void *)1L, &other, 0);
    say("moved %d\n", moved);
    while (woken < 4) { /* one at a time from where they are now, all from where they were */
        long one = futex(&other, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
        CHECK(one == 0 || one == 1);
        woken += (int)(one + futex(&word, FUTEX_WAKE_PRIVATE, 10, 0, 0, 0));
    }
    say("woken %d\n", woken);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * A signal storm: a child sends SIGUSR1 to its parent as fast as it can, and waits now and then until one was handled, so that
 * the parent is sure to be interrupted at least storm_sent / 500 times however the two are scheduled. */
#ifndef B_STORM_H
#define B_STORM_H
#include "b_check.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

struct storm {
    volatile long hits; /* counted by the parent's handler */
    volatile int over;  /* set by the child at the end */
};

static struct storm *storm;
static pid_t storm_child;

static inline void storm_send(long count)
{
    pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (long i = 0; i < count; i++) {
        long before = storm->hits;
        if (kill(parent, SIGUSR1))
            _exit(1);
        while (i % 500 == 0 && storm->hits == before)
            sched_yield();
    }
    storm->over = 1;
    _exit(0);
}

/* The caller has its handler for SIGUSR1 in place; it must add to storm->hits. */
static inline void storm_start(long count)
{
    storm->over = 0;
    storm_child = fork();
    CHECK(storm_child >= 0);
    if (!storm_child)
        storm_send(count);
}

static inline void storm_init(void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags };
    storm = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(storm != MAP_FAILED && sigaction(SIGUSR1, &sa, 0) == 0);
}

static inline void storm_end(void)
{
    int status;
    while (waitpid(storm_child, &status, 0) == -1)
        CHECK(errno == EINTR);
    CHECK(status == 0);
}
#endif

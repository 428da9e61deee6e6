// SPDX-License-Identifier: Apache-2.0
// epoll_pwait2 and epoll_pwait: a signal that only their mask lets through ends them, runs its handler under that mask, and is blocked again behind them.
#include "b_check.h"
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static volatile int handled;

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
    (void)si;
    sigset_t now;
    ucontext_t *uc = ctx;
    sigprocmask(SIG_BLOCK, 0, &now);
    handled++;
    say("signal %d: usr2 blocked now %d, before %d\n", sig, sigismember(&now, SIGUSR2), sigismember(&uc->uc_sigmask, SIGUSR2));
}

static void wait_with(const char *what, long nr, int epoll, const void *time, const uint64_t *mask)
{
    struct epoll_event e;
    sigset_t after;
    raise(SIGUSR1);
    errno = 0;
    long r = syscall(nr, epoll, &e, 1, time, mask, 8L);
    int err = errno;
    sigprocmask(SIG_BLOCK, 0, &after);
    say("%s: %ld errno %d, handled %d, blocked again %d\n", what, r, err, handled, sigismember(&after, SIGUSR1));
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    struct timespec second = { 1, 0 }, none = { 0, 0 };
    uint64_t all_but = ~(1ul << (SIGUSR1 - 1));
    sigset_t set;
    int epoll = epoll_create1(0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaction(SIGUSR1, &sa, 0);
    sigprocmask(SIG_BLOCK, &set, 0);
    wait_with("epoll_pwait2", SYS_epoll_pwait2, epoll, &second, &all_but);
    wait_with("epoll_pwait", SYS_epoll_pwait, epoll, (void *)1000L, &all_but);
    wait_with("epoll_pwait2 without a mask", SYS_epoll_pwait2, epoll, &none, 0);
    wait_with("epoll_pwait2 that lets it in", SYS_epoll_pwait2, epoll, &second, &all_but);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// 100 queued real-time signals arrive all, lowest number first, each in order; standard signals merge; sigpending tells.
#include "b_check.h"
#include <signal.h>

static int order[400], values[400], n;

static void on_signal(int sig, siginfo_t *si, void *uc)
{
    (void)uc;
    order[n] = sig;
    values[n++] = si->si_value.sival_int;
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    sigset_t set, pend;
    int rt[3] = { SIGRTMIN + 3, SIGRTMIN + 1, SIGRTMIN + 7 };
    sigemptyset(&set);
    sigfillset(&sa.sa_mask);
    for (int i = 0; i < 3; i++) {
        sigaddset(&set, rt[i]);
        sigaction(rt[i], &sa, 0);
    }
    sigaddset(&set, SIGUSR1);
    sigaction(SIGUSR1, &sa, 0);
    sigprocmask(SIG_BLOCK, &set, 0);
    for (int i = 0; i < 100; i++)
        CHECK(sigqueue(getpid(), rt[i % 3], (union sigval){ .sival_int = i }) == 0);
    for (int i = 0; i < 5; i++)
        CHECK(sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 1000 + i }) == 0);
    CHECK(sigpending(&pend) == 0 && n == 0);
    for (int sig = 1; sig < 65; sig++)
        if (sigismember(&pend, sig) == 1)
            say("pending %d\n", sig);
    sigprocmask(SIG_UNBLOCK, &set, 0);
    say("%d arrived, first %d value %d\n", n, order[0], values[0]);
    for (int i = 2; i < n; i++)
        CHECK(order[i] > order[i - 1] || (order[i] == order[i - 1] && values[i] == values[i - 1] + 3));
    CHECK(sigpending(&pend) == 0 && sigisemptyset(&pend));
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Several different signals unblocked at once: the order in which their handlers start, and how they nest, is the kernel's.
#include "b_check.h"
#include <signal.h>

static volatile int depth;

static void on_signal(int sig)
{
    say("%*s%d starts\n", 2 * depth, "", sig);
    depth++;
    volatile unsigned work = 0;
    for (int i = 0; i < 1000; i++)
        work = work + i;
    depth--;
    say("%*s%d ends\n", 2 * depth, "", sig);
}

static void run(const int *sigs, int n, int mask_all)
{
    struct sigaction sa = { .sa_handler = on_signal };
    sigset_t all, old;
    if (mask_all)
        sigfillset(&sa.sa_mask);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    for (int i = 0; i < n; i++) {
        sigaction(sigs[i], &sa, 0);
        if (i % 2)
            raise(sigs[i]);
        else
            kill(getpid(), sigs[i]);
    }
    say("-- %d signals, %s\n", n, mask_all ? "all masked" : "nesting");
    sigprocmask(SIG_SETMASK, &old, 0);
}

int main(void)
{
    const int standard[] = { SIGUSR2, SIGHUP, SIGTERM, SIGUSR1 }, mixed[] = { SIGRTMIN + 1, SIGCHLD, SIGSEGV, SIGRTMIN, SIGALRM, SIGFPE };
    run(standard, 4, 1);
    run(standard, 4, 0);
    run(mixed, 6, 1);
    run(mixed, 6, 0);
    return 0;
}

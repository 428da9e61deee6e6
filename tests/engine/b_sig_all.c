// test[pie]: cc=-O2
// test[nopie]: cc=-no-pie
// test[static]: cc=-static
// SPDX-License-Identifier: Apache-2.0
// Every signal from 1 to 64 that can be caught is caught by raise, once, with its number and SI_TKILL.
#include "b_check.h"
#include <signal.h>

static volatile int last, code, hits;

static void on_signal(int sig, siginfo_t *si, void *uc)
{
    (void)uc;
    last = sig;
    code = si->si_signo == sig ? si->si_code : -99;
    hits++;
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, old;
    for (int sig = 1; sig <= 64; sig++) {
        if (sigaction(sig, &sa, &old)) {
            say("%d cannot be caught: %d\n", sig, errno);
            continue;
        }
        CHECK(old.sa_handler == SIG_DFL && old.sa_flags == 0);
        hits = 0;
        CHECK(raise(sig) == 0 && hits == 1 && last == sig && code == SI_TKILL);
        CHECK(kill(getpid(), sig) == 0 && hits == 2 && last == sig && code == SI_USER);
        CHECK(sigaction(sig, 0, &old) == 0 && old.sa_sigaction == on_signal && old.sa_flags == (SA_SIGINFO | 0x04000000 /* restorer */));
        CHECK(signal(sig, SIG_IGN) == (sighandler_t)(uintptr_t)on_signal && raise(sig) == 0 && hits == 2);
        CHECK(signal(sig, SIG_DFL) == SIG_IGN);
    }
    say("all caught\n");
    return 0;
}

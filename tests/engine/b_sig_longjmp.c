// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// siglongjmp out of a SIGSEGV handler 100000 times, and out of a SIGUSR1 handler from the alternate stack.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;

static void on_signal(int sig)
{
    siglongjmp(out, sig);
}

int main(void)
{
    static char alt[65536];
    volatile unsigned n = 0, m = 0;
    struct sigaction sa = { .sa_handler = on_signal };
    sigaction(SIGSEGV, &sa, 0);
    while (n < 100000) {
        if (sigsetjmp(out, 1) == 0)
            *(volatile char *)(uintptr_t)(n % 4096) = 1;
        n++;
    }
    CHECK(sigaltstack(&(stack_t){ alt, 0, sizeof alt }, 0) == 0);
    sa.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &sa, 0);
    while (m < 10000) {
        if (sigsetjmp(out, 1) == 0)
            raise(SIGUSR1);
        m++;
    }
    sigset_t now;
    sigprocmask(SIG_BLOCK, 0, &now);
    CHECK(sigisemptyset(&now));
    say("jumped %u %u\n", n, m);
    return 0;
}

// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// SA_ONSTACK: the frame lies within the alternate stack, SS_ONSTACK shows, nested signals stay on it, each thread has its own.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

static __thread char *lo, *hi;
static __thread volatile int nested;

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
    char here;
    ucontext_t *uc = ctx;
    stack_t ss;
    CHECK(&here > lo && &here < hi && (char *)si > lo && (char *)si < hi && (char *)ctx > lo && (char *)ctx < hi);
    CHECK(sigaltstack(0, &ss) == 0 && ss.ss_flags == SS_ONSTACK && ss.ss_sp == lo);
    CHECK(uc->uc_stack.ss_sp == lo && uc->uc_stack.ss_size == (size_t)(hi - lo));
    CHECK_ERR(sigaltstack(&(stack_t){ lo, SS_DISABLE, 0 }, 0), EPERM);
    char *sp = (char *)uc->uc_mcontext.gregs[REG_RSP];
    CHECK((sp > lo && sp < hi) == (nested > 0));
    if (sig == SIGUSR1) {
        nested++;
        raise(SIGUSR2);
        nested--;
    }
}

static void *body(void *arg)
{
    size_t size = 65536;
    lo = malloc(size);
    hi = lo + size;
    stack_t old;
    CHECK(sigaltstack(&(stack_t){ lo, 0, size }, &old) == 0 && old.ss_flags == SS_DISABLE);
    for (int i = 0; i < 100; i++)
        CHECK(raise(SIGUSR1) == 0);
    CHECK(sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, &old) == 0 && old.ss_sp == lo && old.ss_size == size);
    free(lo);
    return arg;
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    pthread_t t[3];
    char small[1000];
    sigaction(SIGUSR1, &sa, 0);
    sigaction(SIGUSR2, &sa, 0);
    CHECK_ERR(sigaltstack(&(stack_t){ small, 0, sizeof small }, 0), ENOMEM);
    body(0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&t[i], 0, body, 0) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(t[i], 0) == 0);
    say("altstack ok\n");
    return 0;
}

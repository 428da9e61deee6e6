// test: status=SIGSEGV
// SPDX-License-Identifier: Apache-2.0
// Stack overflow: caught on an alternate stack in a child, with the fault near rsp; without one it is death by SIGSEGV.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>

static sigjmp_buf out;
static char alt[65536];
static volatile int near_sp, last = -1;

static __attribute__((noinline)) int recurse(int n)
{
    volatile char frame[2000];
    frame[0] = (char)n;
    return n == last ? 0 : recurse(n + 1) + frame[0];
}

static void on_segv(int sig, siginfo_t *si, void *ctx)
{
    long sp = ((ucontext_t *)ctx)->uc_mcontext.gregs[REG_RSP];
    (void)sig;
    near_sp = labs((long)si->si_addr - sp) < 65536;
    siglongjmp(out, 1);
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    setrlimit(RLIMIT_STACK, &(struct rlimit){ 1 << 20, RLIM_INFINITY });
    CHECK(sigaltstack(&(stack_t){ alt, 0, sizeof alt }, 0) == 0);
    sigaction(SIGSEGV, &sa, 0);
    for (int i = 0; i < 3; i++) {
        near_sp = 0;
        if (!sigsetjmp(out, 1))
            recurse(0);
        say("overflow %d near sp %d\n", i, near_sp);
    }
    signal(SIGSEGV, SIG_DFL);
    return recurse(0);
}

// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// A thread stack that the program itself grows: a handler on the alternate stack opens guard pages as the thread recurses.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 };
static char *stack;
static int opened;

static void on_segv(int sig, siginfo_t *si, void *uc)
{
    char *page = (char *)((uintptr_t)si->si_addr & ~4095ul);
    (void)sig, (void)uc;
    if (page < stack || page >= stack + SIZE)
        _exit(99);
    CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
    opened++;
}

static __attribute__((noinline)) long recurse(long n)
{
    volatile long frame[500];
    frame[0] = n;
    frame[499] = n * 2;
    return n ? recurse(n - 1) + frame[0] + frame[499] : 0;
}

static void *body(void *arg)
{
    static char alt[65536];
    (void)arg;
    CHECK(sigaltstack(&(stack_t){ alt, 0, sizeof alt }, 0) == 0);
    return (void *)recurse(200);
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    pthread_attr_t at;
    pthread_t t;
    void *res;
    sigaction(SIGSEGV, &sa, 0);
    stack = mmap(0, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mprotect(stack + SIZE - 16384, 16384, PROT_READ | PROT_WRITE) == 0);
    pthread_attr_init(&at);
    CHECK(pthread_attr_setstack(&at, stack, SIZE) == 0 && pthread_create(&t, &at, body, 0) == 0 && pthread_join(t, &res) == 0);
    CHECK(opened > 150 && opened < 260);
    say("sum %ld\n", (long)res);
    return 0;
}

// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Four threads fault at once on their own and on common pages; each fault is handled in its thread and the access is made again.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

enum { T = 4, PAGES = 400 };
static char *own[T], *common;
static __thread int me;
static int stray, own_faults[T];

static void on_segv(int sig, siginfo_t *si, void *uc)
{
    char *page = (char *)((uintptr_t)si->si_addr & ~4095ul);
    (void)sig, (void)uc;
    if (page >= own[me] && page < own[me] + PAGES * 4096)
        own_faults[me]++;
    else if (page < common || page >= common + PAGES * 4096)
        __atomic_add_fetch(&stray, 1, __ATOMIC_SEQ_CST);
    CHECK(!stray && mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
}

static void *body(void *arg)
{
    me = (int)(long)arg;
    for (int i = 0; i < PAGES; i++) {
        own[me][i * 4096 + me] = i;
        __atomic_add_fetch((int *)(common + i * 4096), me + 1, __ATOMIC_SEQ_CST);
    }
    return 0;
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    pthread_t t[T];
    sigaction(SIGSEGV, &sa, 0);
    common = mmap(0, PAGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < T; i++)
        own[i] = mmap(0, PAGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < T; i++)
        CHECK(pthread_create(&t[i], 0, body, (void *)i) == 0);
    for (int i = 0; i < T; i++) {
        CHECK(pthread_join(t[i], 0) == 0);
        say("thread %d: %d faults\n", i, own_faults[i]);
    }
    for (int i = 0; i < PAGES; i++)
        CHECK(*(int *)(common + i * 4096) == 10);
    return 0;
}

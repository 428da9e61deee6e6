// SPDX-License-Identifier: Apache-2.0
// A handler emulates loads and stores to an address that is never mapped, as device models and garbage collectors do.
#include "b_check.h"
#include <signal.h>
#include <ucontext.h>

static volatile long device = 5;
extern char load_at[], store_at[];

static void on_segv(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig;
    CHECK(si->si_addr == (void *)0x500 && (r[REG_ERR] & 4));
    if (r[REG_RIP] == (long)load_at) {
        CHECK(!(r[REG_ERR] & 2));
        r[REG_R10] = device;
        r[REG_RIP] += 3;
    } else {
        CHECK(r[REG_RIP] == (long)store_at && (r[REG_ERR] & 2));
        device = r[REG_R10];
        r[REG_RIP] += 3;
    }
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &sa, 0);
    register long value __asm__("r10");
    for (int i = 0; i < 2000; i++) {
        __asm__ volatile(".globl load_at, store_at\n"
                         "load_at: mov (%%rdx), %%r10\n"
                         "lea 1(%%r10,%%r10,2), %%r10\n"
                         "store_at: mov %%r10, (%%rdx)"
                         : "=r"(value) : "d"(0x500) : "memory");
    }
    say("device %ld\n", device);
    return 0;
}

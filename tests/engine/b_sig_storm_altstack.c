// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// A storm of nested handlers on an alternate stack, up to four deep, over code that uses its red zone.
#include "b_storm.h"

static volatile int depth, deepest;
static char alt[1 << 17];

/* Lets itself be interrupted up to four deep; between entry and unblocking nothing can nest, so the stack is always enough. */
static void on_usr1(int sig, siginfo_t *si, void *uc)
{
    char here;
    sigset_t set;
    (void)si, (void)uc;
    storm->hits++;
    CHECK(&here > alt && &here < alt + sizeof alt);
    if (++depth > deepest)
        deepest = depth;
    sigemptyset(&set);
    sigaddset(&set, sig);
    if (depth < 4) {
        sigprocmask(SIG_UNBLOCK, &set, 0);
        for (volatile int i = 0; i < 50; i++)
            ;
        sigprocmask(SIG_BLOCK, &set, 0);
    }
    depth--;
}

/* A leaf with its locals below the stack pointer: an engine must not write there. */
static __attribute__((noinline)) unsigned red_zone(unsigned n)
{
    unsigned out;
    __asm__ volatile("mov %1, %%ecx; movl $1, -4(%%rsp); movl $2, -64(%%rsp); movl $3, -120(%%rsp)\n"
                     "1: mov -4(%%rsp), %%eax; add -64(%%rsp), %%eax; add -120(%%rsp), %%eax\n"
                     "mov %%eax, -64(%%rsp); addl $5, -120(%%rsp); rorl $1, -4(%%rsp)\n"
                     "dec %%ecx; jnz 1b; mov -64(%%rsp), %0"
                     : "=r"(out) : "r"(n) : "eax", "ecx", "cc", "memory");
    return out;
}

int main(void)
{
    unsigned want = red_zone(3000);
    CHECK(sigaltstack(&(stack_t){ alt, 0, sizeof alt }, 0) == 0);
    storm_init(on_usr1, SA_ONSTACK);
    storm_start(40000);
    while (!storm->over)
        CHECK(red_zone(3000) == want);
    storm_end();
    CHECK(storm->hits >= 80 && depth == 0 && deepest <= 4);
    say("red zone %u\n", want);
    return 0;
}

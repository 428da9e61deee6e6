// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// A storm of nested handlers on an alternate stack, with SA_NODEFER, over code that uses its red zone.
#include "b_storm.h"

static volatile int depth, deepest;
static char alt[1 << 20];

static void on_usr1(int sig, siginfo_t *si, void *uc)
{
    char here;
    (void)sig, (void)si, (void)uc;
    storm->hits++;
    CHECK(&here > alt && &here < alt + sizeof alt);
    if (++depth > deepest)
        deepest = depth;
    if (depth < 4)
        for (volatile int i = 0; i < 50; i++)
            ;
    else { /* deep enough: hold the others off */
        sigset_t set, old;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, &old);
        depth--;
        return;
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
    storm_init(on_usr1, SA_ONSTACK | SA_NODEFER);
    storm_start(40000);
    while (!storm->over)
        CHECK(red_zone(3000) == want);
    storm_end();
    CHECK(storm->hits >= 80 && depth == 0);
    say("red zone %u\n", want);
    return 0;
}

// test: hard
// SPDX-License-Identifier: Apache-2.0
// The trap flag: a program that single-steps itself gets a SIGTRAP after each instruction, at the right addresses.
#include "b_check.h"
#include <signal.h>
#include <ucontext.h>

extern char step_begin[], step_end[];
static volatile int steps;
static long at[64];

static void on_trap(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig;
    if (steps < 64)
        at[steps++] = r[REG_RIP] - (long)step_begin;
    CHECK(si->si_code == TRAP_TRACE && si->si_addr == (void *)r[REG_RIP]);
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
    long out;
    sigaction(SIGTRAP, &sa, 0);
    __asm__ volatile("sub $256, %%rsp; mov $3, %%ecx; xor %%eax, %%eax; pushfq; orl $0x100, (%%rsp); popfq\n"
                     ".globl step_begin, step_end\n"
                     "step_begin: nop\n"
                     "1: add %%rcx, %%rax; dec %%ecx; jnz 1b\n"
                     "pushfq; andl $~0x100, (%%rsp); popfq\n"
                     "step_end: add $256, %%rsp"
                     : "=a"(out) : : "rcx", "cc", "memory");
    for (int i = 0; i < steps; i++)
        say("%ld ", at[i]);
    say("\nsteps %d out %ld\n", steps, out);
    return 0;
}

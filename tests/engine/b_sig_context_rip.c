// SPDX-License-Identifier: Apache-2.0
// A handler skips faulting instructions by changing rip, changes registers and flags, and all of it is there afterwards.
#include "b_check.h"
#include <signal.h>
#include <ucontext.h>

extern char fault_begin[], fault_end[];
static volatile int hits;

static void on_segv(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig;
    hits++;
    CHECK(r[REG_RIP] == (long)fault_begin && r[REG_CR2] == (long)si->si_addr && si->si_addr == (void *)0x40);
    CHECK(r[REG_RAX] == 0x1111 && r[REG_RBX] == 0x2222 && r[REG_R15] == 0x3333 && r[REG_RDX] == 0x40 && r[REG_TRAPNO] == 14);
    r[REG_RIP] = (long)fault_end;
    r[REG_RAX] = 0xaaaa;
    r[REG_RBX] = 0xbbbb;
    r[REG_R15] = 0xcccc;
    r[REG_EFL] = (r[REG_EFL] & ~0x8d5l) | 0x41; /* CF and ZF */
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &sa, 0);
    for (int i = 0; i < 300; i++) {
        long a, b, c, flags;
        __asm__ volatile("mov $0x1111, %%eax; mov $0x2222, %%ebx; mov $0x3333, %%r15d; mov $0x40, %%edx\n"
                         "test %%esp, %%esp\n"
                         ".globl fault_begin, fault_end\n"
                         "fault_begin: movl $1, (%%rdx)\n"
                         "ud2\n"
                         "fault_end: pushfq; pop %%rcx; mov %%r15, %%rdx"
                         : "=a"(a), "=b"(b), "=d"(c), "=c"(flags) : : "r15", "memory", "cc");
        CHECK(a == 0xaaaa && b == 0xbbbb && c == 0xcccc && (flags & 0x8d5) == 0x41 && hits == i + 1);
    }
    say("skipped %d\n", hits);
    return 0;
}

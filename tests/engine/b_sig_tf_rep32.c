// test: modes=plain,inproc,one,far,clone,tool,light,access,fills
// SPDX-License-Identifier: Apache-2.0
// A program that single-steps itself through REP instructions that count in ecx, with something in the upper half of rcx: what each trap sees of rcx, rdi and rsi.
#include "b_check.h"
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define MAX 100

extern char rep_first[], rep_end[];
static struct step { long rip, rcx, rdi, rsi; } step[MAX];
static volatile int steps;
static char *low;

static void on_trap(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig, (void)si;
    if (r[REG_RIP] < (long)rep_first || r[REG_RIP] > (long)rep_end)
        return;
    CHECK(steps < MAX);
    step[steps++] = (struct step){r[REG_RIP] - (long)rep_first, r[REG_RCX], r[REG_RDI] - (long)low, r[REG_RSI] - (long)low};
}

int main(void)
{
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    CHECK(low != MAP_FAILED && (unsigned long)low < 1ul << 32);
    sigaction(SIGTRAP, &trap, 0);
    __asm__ volatile("mov %0, %%rdi; lea 512(%0), %%rsi; xor %%eax, %%eax; pushfq; orl $0x100, (%%rsp); popfq\n"
                     ".globl rep_first, rep_end\n"
                     "rep_first: movabs $0xabcd00000003, %%rcx; addr32 rep stosb\n"
                     "movabs $0xabcd00000002, %%rcx; addr32 rep movsq\n"
                     "movabs $0xabcd00000004, %%rcx; mov $1, %%al; addr32 repe scasb\n"
                     "movabs $0xabcd00000003, %%rcx; addr32 repne scasb\n"
                     "movabs $0xabcd00000000, %%rcx; addr32 rep stosb\n"
                     "rep_end: pushfq; andl $~0x100, (%%rsp); popfq"
                     :: "r"(low) : "rax", "rcx", "rdi", "rsi", "memory", "cc");
    for (int i = 0; i < steps; i++)
        say("%lx: rcx %lx rdi %lx rsi %lx\n", step[i].rip, step[i].rcx, step[i].rdi, step[i].rsi);
    return 0;
}

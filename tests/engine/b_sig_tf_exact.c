// test: modes=plain,inproc,tiny,nolink,one,far,flush,clone,access,rewrite
// SPDX-License-Identifier: Apache-2.0
// A program that single-steps itself through instructions with windows and loops of their own: where each trap comes, with which flags and counters. loop, loope, loopne and jrcxz that go on and that end,
// REP instructions of none, one and several, mov to ss (no trap behind it), popf that sets and clears TF, system calls, pushf, locked instructions, prefixes and a signal sent from a step.
#include "b_check.h"
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define MAX 400
#define ARITHMETIC 0x8d5

extern char exact_first[], exact_end[];
static struct step { long rip, rcx, rax, flags, trap; } step[MAX];
static volatile int steps, other, inside;
static long text[16];

static void on_trap(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig;
    CHECK(si->si_code == TRAP_TRACE);
    CHECK(si->si_addr == (void *)r[REG_RIP]);
    if (r[REG_RIP] < (long)exact_first || r[REG_RIP] > (long)exact_end) {
        step[steps++ % MAX] = (struct step){-1, 0, 0, 0, 0}; /* in the handler of the other signal, or in the C library */
        return;
    }
    CHECK(steps < MAX);
    step[steps++] = (struct step){r[REG_RIP] - (long)exact_first, r[REG_RCX], r[REG_RAX] & 0xffff, r[REG_EFL] & ARITHMETIC, r[REG_EFL] >> 8 & 1};
}

/* Sent by the program itself while it steps: its frame has TF, its first instruction runs without. */
static void on_usr1(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    (void)sig, (void)si;
    other++;
    inside = (r[REG_EFL] >> 8 & 1) + 2 * (r[REG_RIP] > (long)exact_first && r[REG_RIP] < (long)exact_end);
}

int main(void)
{
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO}, usr1 = {.sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO};
    long pid = getpid(), out;
    sigaction(SIGTRAP, &trap, 0);
    sigaction(SIGUSR1, &usr1, 0);
    __asm__ volatile("sub $256, %%rsp; mov %1, %%r12; mov %2, %%r13; mov %%ss, %%r14d\n"
                     "xor %%eax, %%eax; pushfq; orl $0x100, (%%rsp); popfq\n"
                     ".globl exact_first, exact_end\n"
                     "exact_first: mov $3, %%ecx\n 1: inc %%rax; loop 1b\n"
                     "mov $3, %%ecx; cmp %%ecx, %%ecx\n 2: loope 2b\n"
                     "mov $3, %%ecx; cmp $1, %%ecx\n 3: loope 3b\n"
                     "mov $3, %%ecx; cmp $1, %%ecx\n 4: loopne 4b\n"
                     "mov $2, %%ecx; cmp %%ecx, %%ecx\n 5: loopne 5b\n"
                     "mov $1, %%ecx; 6: addr32 loop 6b\n"
                     "xor %%ecx, %%ecx; jrcxz 7f; inc %%rax; 7: inc %%ecx; jrcxz 8f; jecxz 8f; inc %%rax; 8:\n"
                     "mov %%r13, %%rdi; mov %%r13, %%rsi; add $64, %%rsi; xor %%ecx, %%ecx; rep movsb\n" /* of none */
                     "mov $1, %%ecx; rep movsb; mov $3, %%ecx; rep stosq; mov $4, %%ecx; mov %%r13, %%rdi\n"
                     "cmp (%%rdi), %%rax; repne scasq\n" /* flags before as those of each comparison: CPUs differ in which they show */
                     "mov %%r14d, %%ss; inc %%rax; nop; mov %%r14d, %%ss; inc %%rax\n" /* the trap waits for one instruction */
                     "mov %%r14d, %%ss; mov $39, %%eax; mov %%r14d, %%ss; syscall; nop\n" /* getpid */
                     "pushfq; pop %%rax; and $0x100, %%eax\n" /* what is pushed has TF */
                     "pushfq; popfq; nop\n" /* stays set */
                     "pushfq; andl $~0x100, (%%rsp); popfq; nop; nop\n" /* ends: no more traps, but one behind this popf? */
                     "pushfq; orl $0x100, (%%rsp); popfq; nop; nop\n" /* and on again */
                     "lock incq (%%r13); xchg %%rax, (%%r13); .byte 0x2e, 0x3e, 0x48, 0x89, 0xc0; nop\n"
                     "mov $39, %%eax; syscall; mov %%eax, %%eax\n"
                     "mov $62, %%eax; mov %%r12, %%rdi; mov $10, %%esi; syscall; nop\n" /* kill(getpid(), SIGUSR1) */
                     "mov $-1, %%eax; syscall; nop; call 9f; jmp 10f; 9: ret; 10: push $5; pop %%rax; xor %%eax, %%eax\n"
                     "cpuid; xor %%eax, %%eax; xor %%ebx, %%ebx; nop\n"
                     "pushfq; andl $~0x100, (%%rsp); popfq\n"
                     "exact_end: add $256, %%rsp"
                     : "=&a"(out) : "r"(pid), "r"(text) : "rbx", "rcx", "rdx", "rsi", "rdi", "r11", "r12", "r13", "r14", "cc", "memory");
    for (int i = 0; i < steps; i++) {
        struct step *s = &step[i];
        if (s->rip < 0) {
            int n = i;
            while (i + 1 < steps && step[i + 1].rip < 0)
                i++;
            say("(elsewhere %s)\n", i - n ? "more than once" : "once");
            continue;
        }
        say("+%ld rcx %ld rax %ld flags %lx%s\n", s->rip, s->rcx > 1000000 ? -1 : s->rcx, s->rax == (pid & 0xffff) ? -1 : s->rax, s->flags, s->trap ? "" : " no TF");
    }
    say("other %d inside %d\n", other, inside);
    return 0;
}

// Flags and rax that are needed over several accesses, one of them through rax, up to one that faults: the handler and the code behind see both exactly, wherever analysis code has kept them.
#include "a_guest.h"
#include <signal.h>
#include <ucontext.h>

#define FAULT_BYTES 3 /* of mov (%rdi), %rdx */

static void handler(int sig, siginfo_t *si, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    printf("  %s at %p flags %#llx rax %s\n", strsignal(sig), si->si_addr, g[REG_EFL] & FLAGS_ALL, g[REG_RAX] == (greg_t)g[REG_R8] ? "same" : "other");
    g[REG_RIP] += FAULT_BYTES;
}

static void try(uint32_t a, uint32_t b, const void *fault)
{
    uint64_t word[4] = {1, 2, 3, 4}, *p = word, flags;
    __asm__ volatile("mov %[p], %%rax\n mov %%rax, %%r8\n"
                     "add %[b], %[a]\n"
                     "mov 8(%%r8), %%rcx\n mov 16(%%r8), %%r9\n" /* flags are needed over these */
                     "mov (%%rax), %%rsi\n"                      /* and rax for this */
                     "mov %%rsi, 24(%%r8)\n mov 24(%%rax), %%r10\n"
                     "mov (%%rdi), %%rdx\n"
                     "mov (%%r8), %%r11\n"
                     "pushfq\n pop %[flags]\n mov (%%rax), %%rax\n"
                     : [a] "+r"(a), [flags] "=r"(flags)
                     : [b] "r"(b), [p] "r"(p), "D"(fault)
                     : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
    printf("%#x flags %#lx words %lu %lu\n", a, flags & FLAGS_ALL, word[0], word[3]);
}

int main(void)
{
    static const uint32_t value[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x0f, 0x55555555};
    uint64_t there = 5;
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &sa, NULL) == 0);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            try(value[i], value[k], (const void *)0x10);
            try(value[i], value[k], &there);
        }
    return 0;
}

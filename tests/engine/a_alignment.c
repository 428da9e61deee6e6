// Alignment checking switched on by the program: an unaligned access is SIGBUS; branches, calls and system calls meanwhile are not.
#include "a_guest.h"
#include <signal.h>
#include <ucontext.h>

extern char unaligned_next[];
void alignment_entry(int, siginfo_t *, void *);
void alignment_handler(int, siginfo_t *, void *);
// AC is still set when the handler is entered
__asm__(".text\nalignment_entry: pushfq; andl $~0x40000, (%rsp); popfq; jmp alignment_handler\n");

void alignment_handler(int sig, siginfo_t *si, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    printf("signal %d code %d trap %lld err %lld AC %d\n", sig, si->si_code, g[REG_TRAPNO], g[REG_ERR], (int)(g[REG_EFL] >> 18 & 1));
    g[REG_RIP] = (greg_t)unaligned_next;
    g[REG_EFL] &= ~0x40000;
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = alignment_entry, .sa_flags = SA_SIGINFO};
    static uint64_t cell[2];
    uint64_t fl;
    CHECK(sigaction(SIGBUS, &sa, NULL) == 0);
    __asm__ volatile("pushfq; orl $0x40000, (%%rsp); popfq\n"
                     "mov $50, %%ebx; 1: lea 2f(%%rip), %%rax; jmp *%%rax; 2: mov $110, %%eax; syscall; call 3f; dec %%ebx; jnz 1b; jmp 4f; 3: ret\n"
                     "4: pushfq; pop %0; mov 1(%1), %%eax\n unaligned_next:"
                     : "=&r"(fl)
                     : "r"(cell)
                     : "rax", "rbx", "rcx", "r11", "cc", "memory");
    printf("AC %d\n", (int)(fl >> 18 & 1));
    return 0;
}

// A program that single-steps itself with TF: a trap after each instruction, with the next one's address.
#include "a_guest.h"
#include <signal.h>
#include <ucontext.h>

extern char step_first[];
static long offsets[64];
static int steps;

static void handler(int sig, siginfo_t *si, void *context)
{
    (void)sig;
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    CHECK(si->si_code == 2); // TRAP_TRACE
    if (steps < 64)
        offsets[steps++] = g[REG_RIP] - (greg_t)step_first;
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &sa, NULL);
    long r;
    __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq\n"
                     "step_first: mov $3, %%ecx; xor %%eax, %%eax\n 1: add %%rcx, %%rax; loop 1b\n"
                     "call 2f; jmp 3f; 2: inc %%rax; ret; 3: nop\n"
                     "pushfq; andl $~0x100, (%%rsp); popfq"
                     : "=&a"(r)::"rcx", "cc", "memory");
    printf("%ld, %d steps:", r, steps);
    for (int i = 0; i < steps; i++)
        printf(" %ld", offsets[i]);
    printf("\n");
    return 0;
}

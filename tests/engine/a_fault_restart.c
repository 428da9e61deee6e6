// A handler repairs the page or the register and returns: the instruction runs again, with its effect once.
#include "a_guest.h"
#include <signal.h>
#include <ucontext.h>

static int faults;

static void handler(int sig, siginfo_t *si, void *context)
{
    (void)sig;
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint8_t *at = si->si_addr;
    faults++;
    if (at >= ARENA && at < ARENA + 16 * PAGE)
        CHECK(mprotect((void *)((uintptr_t)at & -4096ul), PAGE, PROT_READ | PROT_WRITE) == 0);
    else
        g[REG_RBX] = (greg_t)(ARENA + 8);
}

int main(void)
{
    static char stack[65536]; // the guest's own stack pointer is moved below
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    CHECK(sigaltstack(&ss, NULL) == 0);
    uint8_t *m = arena_map(0, 16, PROT_NONE);
    sigaction(SIGSEGV, &sa, NULL);
    for (int i = 0; i < 4 * PAGE; i += 8)
        *(volatile uint64_t *)(m + i) += (unsigned)i;
    printf("%d\n", faults);
    uint64_t sum = 0, c = 1000;
    __asm__ volatile("xor %%ebx, %%ebx; addq $5, (%%rbx); mov (%%rbx), %0" : "=r"(sum)::"rbx", "memory", "cc");
    printf("%d %lu\n", faults, sum);
    uint8_t *di = m + 7 * PAGE + 4000;
    __asm__ volatile("rep stosb" : "+D"(di), "+c"(c) : "a"(1) : "memory");
    printf("%d %ld %lu\n", faults, di - m, c);
    uint64_t old = 3, *cell = (uint64_t *)(m + 10 * PAGE);
    __asm__ volatile("lock xadd %0, %1" : "+r"(old), "+m"(*cell));
    printf("%d %lu %lu\n", faults, old, *cell);
    __asm__ volatile("mov %%rsp, %%r12; mov %0, %%rsp; push $1; push $2; call 1f; 1: mov %%r12, %%rsp" ::"r"(m + 13 * PAGE) : "r12", "memory");
    printf("%d %lu %lu\n", faults, *(uint64_t *)(m + 13 * PAGE - 8), *(uint64_t *)(m + 13 * PAGE - 16));
    for (int i = 0; i < 200; i++) {
        CHECK(mprotect(m, PAGE, PROT_READ) == 0);
        m[i] = (uint8_t)i;
    }
    printf("%d\n", faults);
    return 0;
}

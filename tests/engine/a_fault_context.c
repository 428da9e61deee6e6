// A handler changes the interrupted context, all of it: general registers, flags, vector registers, MXCSR, x87, and the next address.
#include "a_guest.h"
#include <signal.h>
#include <ucontext.h>

extern char change_to[];
static void handler(int sig, siginfo_t *si, void *context)
{
    (void)sig, (void)si;
    ucontext_t *uc = context;
    greg_t *g = uc->uc_mcontext.gregs;
    g[REG_RIP] = (greg_t)change_to;
    g[REG_RAX] = 0x1111, g[REG_RDX] = 0x2222, g[REG_R15] = 0x3333, g[REG_RBX] = 0x4444;
    g[REG_EFL] |= FLAGS_ALL;
    uint32_t *x = uc->uc_mcontext.fpregs->_xmm[9].element;
    printf("xmm9 %x %x mxcsr %x cwd %x\n", x[0], x[3], uc->uc_mcontext.fpregs->mxcsr, uc->uc_mcontext.fpregs->cwd);
    x[0] = 0xabcd, x[3] = 0xef01;
    uc->uc_mcontext.fpregs->mxcsr = 0x3f80;
    uc->uc_mcontext.fpregs->cwd = 0xf7f;
    sigaddset(&uc->uc_sigmask, SIGUSR2);
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    uint64_t a, d, r15, b, fl;
    uint32_t x[4] = {1, 2, 3, 4}, csr, csr0 = 0x1f80;
    uint16_t cw, cw0 = 0x37f;
    sigaction(SIGILL, &sa, NULL);
    __asm__ volatile("movdqu %7, %%xmm9; xor %%eax, %%eax; ud2; ud2\n change_to: pushfq; pop %4; mov %%r15, %2; movdqu %%xmm9, %7; stmxcsr %5; fnstcw %6; ldmxcsr %8; fldcw %9"
                     : "=a"(a), "=d"(d), "=S"(r15), "=b"(b), "=r"(fl), "=m"(csr), "=m"(cw), "+m"(x)
                     : "m"(csr0), "m"(cw0)
                     : "r15", "xmm9", "cc");
    printf("%lx %lx %lx %lx fl %lx csr %x cw %x\n", a, d, r15, b, fl & FLAGS_ALL, csr, cw);
    printf("%x %x %x %x\n", x[0], x[1], x[2], x[3]);
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("%d %d\n", sigismember(&now, SIGUSR2), sigismember(&now, SIGILL));
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Synchronous signals with code and address: SIGBUS past a file's end, SIGFPE of three kinds, SIGTRAP of int3, SIGILL, misalignment.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf out;
static volatile int sig_seen, code_seen;
static volatile long addr_seen, rip_seen;

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
    sig_seen = sig;
    code_seen = si->si_code;
    addr_seen = (long)si->si_addr;
    rip_seen = ((ucontext_t *)ctx)->uc_mcontext.gregs[REG_RIP];
    siglongjmp(out, 1);
}

#define TRY(name, addr_is_rip, ...)                                                                     \
    do {                                                                                                \
        sig_seen = 0;                                                                                   \
        if (!sigsetjmp(out, 1)) {                                                                       \
            __VA_ARGS__;                                                                                \
        }                                                                                               \
        say("%s: signal %d code %d %d\n", name, sig_seen, code_seen, !(addr_is_rip) || addr_seen == rip_seen); \
    } while (0)

int main(void)
{
    static const int sigs[] = { SIGBUS, SIGFPE, SIGTRAP, SIGILL, SIGSEGV };
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    for (int i = 0; i < 5; i++)
        sigaction(sigs[i], &sa, 0);
    int fd = memfd_create("x", 0);
    CHECK(ftruncate(fd, 4096) == 0);
    char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    TRY("bus", 0, (void)*(volatile char *)(p + 4096));
    CHECK(addr_seen == (long)(p + 4096));
    TRY("div", 1, __asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cdq; idiv %%ecx" ::: "eax", "ecx", "edx", "cc"));
    TRY("overflow", 1, __asm__ volatile("mov $-1, %%ecx; mov $0x80000000, %%eax; cdq; idiv %%ecx" ::: "eax", "ecx", "edx", "cc"));
    unsigned csr = 0x1f80 & ~0x200u, good = 0x1f80;
    TRY("sse", 1, __asm__ volatile("ldmxcsr %0; xorps %%xmm0, %%xmm0; mov $0x3f800000, %%eax; movd %%eax, %%xmm1; divss %%xmm0, %%xmm1" ::"m"(csr) : "eax", "xmm0", "xmm1"));
    __asm__ volatile("ldmxcsr %0" ::"m"(good));
    unsigned short cw = 0x37b;
    TRY("x87", 0, __asm__ volatile("fldcw %0; fld1; fldz; fdivrp; fwait" ::"m"(cw)));
    __asm__ volatile("fninit");
    TRY("int3", 0, __asm__ volatile("int3"));
    TRY("ud2", 1, __asm__ volatile("ud2"));
    TRY("int 0x2d", 0, __asm__ volatile("int $0x2d"));
    TRY("hlt", 0, __asm__ volatile("hlt"));
    TRY("aligned sse", 0, __asm__ volatile("movaps (%0), %%xmm0" ::"r"(p + 1) : "xmm0"));
    TRY("non-canonical", 0, __asm__ volatile("mov (%0), %%eax" ::"r"(0x8000000000000000ul) : "eax"));
    TRY("cli", 0, __asm__ volatile("cli"));
    return 0;
}

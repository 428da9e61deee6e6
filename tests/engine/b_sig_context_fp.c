// SPDX-License-Identifier: Apache-2.0
// The frame's floating point state holds xmm registers, MXCSR and x87 words; what the handler writes there is restored.
#include "b_check.h"
#include <signal.h>
#include <ucontext.h>

static volatile int hits, frame_ok;

static void on_trap(int sig, siginfo_t *si, void *ctx)
{
    ucontext_t *uc = ctx;
    fpregset_t fp = uc->uc_mcontext.fpregs;
    (void)sig, (void)si;
    hits++;
    frame_ok = fp && (uintptr_t)fp % 16 == 0 && fp->_xmm[3].element[0] == 0x1234 && fp->_xmm[15].element[0] == 0x5678 && fp->mxcsr == 0x1f80 && fp->cwd == 0x37f;
    fp->_xmm[3].element[0] = 0x4321;
    fp->_xmm[15].element[3] = 0x8765;
    fp->mxcsr = 0x7f80; /* round to zero */
    fp->cwd = 0xf7f;
    __asm__ volatile("pxor %%xmm3, %%xmm3; pxor %%xmm15, %%xmm15; pxor %%xmm7, %%xmm7" ::: "xmm3", "xmm15", "xmm7");
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
    sigaction(SIGTRAP, &sa, 0);
    for (int i = 0; i < 200; i++) {
        unsigned lo3, hi15, lo7, csr = 0x1f80, in[3] = { 0x1234, 0x5678, 0x9abc };
        unsigned short cw = 0x37f;
        __asm__ volatile("movd %5, %%xmm3; movd %6, %%xmm15; movd %7, %%xmm7; ldmxcsr %3; fldcw %4\n"
                         "int3\n"
                         "stmxcsr %3; fnstcw %4; movd %%xmm3, %0; movd %%xmm7, %2; psrldq $12, %%xmm15; movd %%xmm15, %1"
                         : "=&r"(lo3), "=&r"(hi15), "=&r"(lo7), "+m"(csr), "+m"(cw) : "m"(in[0]), "m"(in[1]), "m"(in[2]) : "xmm3", "xmm7", "xmm15", "memory");
        unsigned csr_was = csr;
        unsigned short cw_was = cw;
        csr = 0x1f80;
        cw = 0x37f;
        __asm__ volatile("ldmxcsr %0; fldcw %1" ::"m"(csr), "m"(cw));
        CHECK(frame_ok && lo3 == 0x4321 && hi15 == 0x8765 && lo7 == 0x9abc && csr_was == 0x7f80 && cw_was == 0xf7f);
    }
    say("fp frames %d\n", hits);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Upper halves of ymm and zmm registers live through signals; the xsave frame has its magic numbers and the right size.
#include "b_check.h"
#include <signal.h>
#include <ucontext.h>

static volatile int hits, frame_ok;

__attribute__((target("avx"))) static void on_signal(int sig, siginfo_t *si, void *ctx)
{
    unsigned char *fp = (void *)((ucontext_t *)ctx)->uc_mcontext.fpregs;
    unsigned magic1, size, magic2;
    unsigned long features;
    (void)sig, (void)si;
    memcpy(&magic1, fp + 464, 4);
    memcpy(&size, fp + 468, 4);
    memcpy(&features, fp + 472, 8);
    memcpy(&magic2, fp + size - 4, 4);
    frame_ok = magic1 == 0x46505853 && magic2 == 0x46505845 && (features & 7) == 7 && fp[576] == 0x5a;
    fp[576 + 15] = 0x77; /* top byte of the upper half of ymm0 */
    __asm__ volatile("vzeroall" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
    hits++;
}

__attribute__((target("avx"))) static void run(void)
{
    unsigned char in[32], out[32], out9[32];
    memset(in, 0x5a, sizeof in);
    long pid = getpid(), ret;
    __asm__ volatile("vmovdqu %3, %%ymm0; vmovdqu %3, %%ymm9; syscall; vmovdqu %%ymm0, %1; vmovdqu %%ymm9, %2; vzeroupper"
                     : "=a"(ret), "=m"(out), "=m"(out9) : "m"(in), "0"(62L /* kill */), "D"(pid), "S"((long)SIGUSR1) : "rcx", "r11", "xmm0", "xmm9", "memory");
    in[31] = 0x77;
    CHECK(ret == 0 && frame_ok && !memcmp(in, out, 32) && out9[31] == 0x5a && !memcmp(in, out9, 31));
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    sigaction(SIGUSR1, &sa, 0);
    if (!__builtin_cpu_supports("avx")) {
        say("no avx\n");
        return 0;
    }
    for (int i = 0; i < 200; i++)
        run();
    say("ymm frames %d\n", hits);
    return 0;
}

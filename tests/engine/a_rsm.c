// test: modes=plain,one,tool,light,access,fills
// SPDX-License-Identifier: Apache-2.0
// rsm with a REP prefix and a count of 0: no string instruction, though its last byte is that of stosb. It is executed, and faults.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf out;

static void on_signal(int sig) { siglongjmp(out, sig); }

int main(void)
{
    signal(SIGILL, on_signal);
    signal(SIGSEGV, on_signal);
    int sig = sigsetjmp(out, 1);
    if (!sig)
        __asm__ volatile("xor %%ecx, %%ecx; .byte 0xf2, 0x0f, 0xaa" ::: "rcx", "cc");
    printf("f2: %d\n", sig);
    sig = sigsetjmp(out, 1);
    if (!sig)
        __asm__ volatile("xor %%ecx, %%ecx; .byte 0xf3, 0x48, 0x0f, 0xaa" ::: "rcx", "cc");
    printf("f3: %d\n", sig);
    return 0;
}

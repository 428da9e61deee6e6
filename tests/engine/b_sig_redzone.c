// SPDX-License-Identifier: Apache-2.0
// A signal leaves the 128 bytes below the stack pointer alone, and takes what is below them, wherever the stack pointer stands within a line of the cache.
#include "b_check.h"
#include <signal.h>
#include <sys/syscall.h>

static char area[65536] __attribute__((aligned(4096)));
static volatile int handled;

static void on_signal(int sig)
{
    (void)sig;
    handled++;
}

/* tgkill of this thread with the stack pointer at sp. */
static long raise_at(char *sp)
{
    long r;
    register long old __asm__("r12");
    __asm__ volatile("mov %%rsp, %1; mov %6, %%rsp; syscall; mov %1, %%rsp" : "=a"(r), "=&r"(old) : "0"((long)SYS_tgkill), "D"((long)getpid()), "S"((long)getpid()), "d"((long)SIGUSR1), "r"(sp)
                     : "rcx", "r11", "memory");
    return r;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    for (int shift = 0; shift < 128; shift += 8) {
        char *sp = area + sizeof area - 4096 - shift;
        memset(area, 0x5a, sizeof area);
        CHECK(raise_at(sp) == 0 && handled == shift / 8 + 1);
        int kept = 0, above = 1;
        while (sp[-kept - 1] == 0x5a && kept < 128)
            kept++;
        for (char *p = sp; p < area + sizeof area; p++)
            above &= *p == 0x5a;
        say("sp %% 64 = %d: %d bytes kept, all above %d\n", (int)((uintptr_t)sp & 63), kept, above);
    }
    return 0;
}

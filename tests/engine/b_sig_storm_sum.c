// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// 100000 signals from a child while the program computes checksums in integer registers, xmm registers and flags.
#include "b_storm.h"

static void on_usr1(int sig, siginfo_t *si, void *uc)
{
    (void)sig, (void)si, (void)uc;
    storm->hits++;
    __asm__ volatile("pxor %%xmm0, %%xmm0; pxor %%xmm8, %%xmm8; xor %%eax, %%eax; cmp $1, %%eax" ::: "xmm0", "xmm8", "eax", "cc");
}

static __attribute__((noinline)) unsigned long checksum(void)
{
    unsigned long a = 1, b = 2, c = 3, d = 0;
    double x = 1.25, y = 0.5;
    for (int i = 0; i < 2000; i++) {
        __asm__("add %1, %0; adc %2, %1; sbb $0, %2; rcl $1, %3; adc $7, %3" : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : : "cc");
        x = x * 1.0000001 + y;
        y = y / 1.5 + x * 1e-9;
        a ^= d >> 3;
    }
    unsigned long bits[2];
    memcpy(bits, (double[2]){ x, y }, 16);
    return a ^ b ^ c ^ d ^ bits[0] ^ bits[1] << 7;
}

int main(void)
{
    unsigned long want = checksum();
    storm_init(on_usr1, 0);
    storm_start(100000);
    while (!storm->over)
        CHECK(checksum() == want);
    storm_end();
    CHECK(storm->hits >= 200);
    say("checksum %lx\n", want);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// bsf and bsr of 0, lar and lsl of a selector that is none, leave their destination as it was: what is there before is needed, though they write it.
#include "a_guest.h"

#define SCAN(op, good, bad)                                                                                                         \
    static long scan_##op(long value, long before)                                                                                  \
    {                                                                                                                               \
        long flags;                                                                                                                 \
        __asm__ volatile("add $3, %0; " #op " %2, %0; pushfq; pop %1" : "+&r"(before), "=&r"(flags) : "r"(value) : "cc");            \
        return before << 1 | (flags >> 6 & 1);                                                                                      \
    }                                                                                                                               \
    static void show_##op(void)                                                                                                     \
    {                                                                                                                               \
        unsigned long sum = 0;                                                                                                      \
        for (long i = 0; i < 300; i++)                                                                                              \
            sum = sum * 31 + (unsigned long)scan_##op(i % 3 ? good : bad, i * 1000003);                                              \
        printf(#op " %lx, of %d: %lx\n", sum, bad, scan_##op(bad, 0x123456789a));                                                   \
    }

SCAN(bsf, i << 20, 0)
SCAN(bsr, i << 20, 0)
SCAN(lar, 0x2b, 0xfff0)
SCAN(lsl, 0x2b, 0xfff0)

int main(void)
{
    show_bsf();
    show_bsr();
    show_lar();
    show_lsl();
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Functions that a tool leads elsewhere, until it is asked to stop that. */
#include <stdio.h>

__attribute__((noinline)) long one(long a, double b)
{
    __asm__ volatile("nop; nop; nop");
    return a + (long)b;
}

__attribute__((noinline)) long two(long a, double b)
{
    __asm__ volatile("nop; nop; nop");
    return a * (long)b;
}

__attribute__((noinline)) long seen(long a)
{
    __asm__ volatile("nop; nop; nop");
    return a + 1;
}

__attribute__((noinline)) int enough(void)
{
    __asm__ volatile("nop; nop; nop");
    return 0;
}

/* What is on top of the x87 stack, on which the program has nothing. */
__asm__(".text; .globl top, kept; .type top,@function; .type kept,@function\n"
        "top: fstpl -8(%rsp); movsd -8(%rsp),%xmm0; ret\n.size top,.-top\n"
        "kept: fstpl -8(%rsp); movsd -8(%rsp),%xmm0; ret\n.size kept,.-kept\n");
double top(void), kept(void);

int main(void)
{
    printf("%.1f %d\n", top(), kept() == 1.0);
    printf("%ld %ld %ld\n", one(5, 3.0), two(5, 3.0), seen(1));
    int removed = enough();
    printf("%ld %ld %ld, %d removed\n", one(5, 3.0), two(5, 3.0), seen(1), removed);
    return 0;
}

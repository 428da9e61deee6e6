// SPDX-License-Identifier: Apache-2.0
// Functions with arguments on the stack, for tests/ia32/types.cpp.
#include <stdio.h>
#include <unistd.h>

int sum_of(int a, int b, int c);
int changed(int a, int b);
int fixed(int a);
unsigned value = 0xfedcba98;

__attribute__((noinline)) int sum_of(int a, int b, int c)
{
    return a + 10 * b + 100 * c;
}

__attribute__((noinline)) int changed(int a, int b)
{
    return a * 1000 + b;
}

__attribute__((noinline)) int fixed(int a)
{
    __asm__ volatile("" : "+r"(a));
    return a;
}

int main(void)
{
    volatile int one = 1, seven = 7;
    printf("%d\n", sum_of(one, 2, 3));
    printf("%d\n", changed(one, seven));
    printf("%d\n", fixed(seven));
    fflush(stdout);
    return write(1, "written\n", 8) != 8;
}

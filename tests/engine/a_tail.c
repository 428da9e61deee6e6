// Tail calls, mutual recursion through pointers, and functions that jump to each other's middle.
// test: cc=-O2 -foptimize-sibling-calls
#include "a_guest.h"

typedef long step(long n, long acc);
static step even, odd;
static step *volatile pointers[2] = {even, odd};

static __attribute__((noinline)) long even(long n, long acc)
{
    return n == 0 ? acc : pointers[1](n - 1, acc * 3 + 1);
}
static __attribute__((noinline)) long odd(long n, long acc)
{
    return n == 0 ? -acc : even(n - 1, acc ^ n);
}

long middle_a(long), middle_b(long);
__asm__("middle_a: mov $1, %eax; jmp 2f; 1: add $10, %rax; test %rdi, %rdi; jz 3f; dec %rdi; jmp 2f; 3: ret\n"
        "middle_b: mov $100, %eax; jmp 1b; 2: add $1000, %rax; jmp 1b\n");

int main(void)
{
    printf("%ld %ld\n", even(3000000, 1), odd(3000001, 1));
    for (long i = 0; i < 5; i++)
        printf("%ld %ld\n", middle_a(i), middle_b(i));
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Threads call functions without a pause, until a probe makes `finished` say that it is enough. Each result is
 * checked. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 16

static volatile int stop;
static long table[100];

__attribute__((noinline)) int finished(void)
{
    __asm__("");
    return stop;
}

__attribute__((noinline)) long f1(long a)
{
    __asm__ volatile("nop; nop; nop");
    return a + 1;
}

__attribute__((noinline)) long f2(long a, long b) { return a > b ? a - b : b - a; }
__attribute__((noinline)) long f3(long a) { return table[a % 100] + a; }

__attribute__((noinline)) double f4(double x, int n)
{
    double r = 1;
    while (n--)
        r *= x;
    return r;
}

__attribute__((noinline)) long f5(long n) { return n < 2 ? n : f5(n - 1) + f5(n - 2); }

/* A thread is often between two of its first instructions. */
__attribute__((noinline, naked)) long f6(long n)
{
    (void)n;
    __asm__("push %rbp; push %rbx; push %r12; mov %rdi,%rax; pop %r12; pop %rbx; pop %rbp; ret");
}

/* Too short for a jump, with room for one jump behind them all. */
__asm__(".text; .p2align 4; .globl g1, g2; .type g1,@function; .type g2,@function\n"
        "g1: mov $1,%al; ret\n.size g1,.-g1\n"
        "g2: mov $2,%al; ret\n.size g2,.-g2\n"
        "nop; nop; nop; nop; nop\n"
        ".globl after_g; .type after_g,@function\nafter_g: jmp g2\n.size after_g,.-after_g\n");
char g1(void), g2(void), after_g(void);

/* Their first bytes are met again, in the second one also after a call: they can only be moved as a whole. */
__asm__(".text; .p2align 4; .globl h1, h2; .type h1,@function; .type h2,@function\n"
        "h1: xor %eax,%eax; 1: inc %eax; dec %rdi; jnz 1b; ret\n.size h1,.-h1\n"
        "h2: push %rbx; mov %rdi,%rbx; 1: push %rdi; mov %rbx,%rdi; call f6; pop %rdi; dec %rbx; jnz 1b; mov %rdi,%rax; pop %rbx; ret\n.size h2,.-h2\n");
long h1(long n), h2(long n);

static void *body(void *arg)
{
    for (long n = 0; !finished(); n++)
        if (f1(n) != n + 1 || f2(n, 5) != (n > 5 ? n - 5 : 5 - n) || f3(n) != n + n % 100 || f4(2.0, 5) != 32.0 || f5(6) != 8 || f6(n) != n ||
            h1(20) != 20 || h2(9) != 9 || g1() != 1 || g2() != 2 || after_g() != 2)
            exit(7);
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < 100; i++)
        table[i] = i;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}

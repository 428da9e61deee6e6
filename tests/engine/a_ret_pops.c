// SPDX-License-Identifier: Apache-2.0
// Returns that drop their arguments: as many bytes as one byte of a displacement holds, more than that, and more than one byte of the instruction says. Called often, so that they are copied for each call, too.
#include "a_guest.h"

#define POPS(n)                                                                                                                     \
    "pops_" #n "_leaf: lea 1(%rdi), %rax; add 8(%rsp), %rax; ret $" #n "\n"                                                          \
    "pops_" #n ": mov %rsp, %rcx; lea -" #n "(%rsp), %rsp; movq $40, (%rsp); call pops_" #n "_leaf; sub %rsp, %rcx; shl $32, %rcx; add %rcx, %rax; lea (%rsp), %rsp; ret\n"
#define DECLARE(n) long pops_##n(long)
#define SHOW(n)                                                                                                                     \
    do {                                                                                                                            \
        long sum = 0;                                                                                                               \
        for (long i = 0; i < 2000; i++)                                                                                             \
            sum += pops_##n(i);                                                                                                     \
        printf("ret $%d: %lx\n", n, sum);                                                                                           \
    } while (0)

DECLARE(8);
DECLARE(112);
DECLARE(120);
DECLARE(128);
DECLARE(248);
DECLARE(256);
DECLARE(264);
DECLARE(4096);
DECLARE(32776);
__asm__(".text\n" POPS(8) POPS(112) POPS(120) POPS(128) POPS(248) POPS(256) POPS(264) POPS(4096) POPS(32776));

int main(void)
{
    SHOW(8);
    SHOW(112);
    SHOW(120);
    SHOW(128);
    SHOW(248);
    SHOW(256);
    SHOW(264);
    SHOW(4096);
    SHOW(32776);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// One flag alone is needed behind accesses to memory, and all are written on both ways from there: each condition of a branch.
#include "a_guest.h"

#define WAY(cond)                                                                                                                   \
    static unsigned way_##cond(unsigned a, unsigned b)                                                                              \
    {                                                                                                                               \
        static uint64_t cell[4];                                                                                                    \
        unsigned r;                                                                                                                 \
        __asm__ volatile("cmp %b2, %b1; mov (%3), %%rcx; mov %%rcx, 8(%3); mov 16(%3), %%rdx; mov %%rdx, 24(%3); j" #cond " 1f\n"    \
                         "xor %0, %0; mov (%3), %%rcx; add $1, %0; jmp 2f\n"                                                        \
                         "1: xor %0, %0; mov 8(%3), %%rcx; add $2, %0\n"                                                            \
                         "2: mov 16(%3), %%rcx" : "=&r"(r) : "q"(a), "q"(b), "r"(cell) : "rcx", "rdx", "cc", "memory");               \
        return r;                                                                                                                   \
    }
#define SHOW(cond)                                                                                                                  \
    do {                                                                                                                            \
        unsigned sum = 0;                                                                                                           \
        for (unsigned a = 0; a < 256; a += 5)                                                                                       \
            for (unsigned b = 0; b < 256; b += 7)                                                                                   \
                sum = sum * 3 + way_##cond(a, b);                                                                                   \
        printf(#cond " %x\n", sum);                                                                                                 \
    } while (0)

WAY(o)
WAY(b)
WAY(z)
WAY(be)
WAY(s)
WAY(p)
WAY(l)
WAY(le)

/* The carry is needed on one way only, behind an instruction that writes all other flags, and behind a jump. */
#define CARRY(name, jump)                                                                                                           \
    static unsigned carry_##name(unsigned a, unsigned b, unsigned n)                                                                \
    {                                                                                                                               \
        static uint64_t cell[4];                                                                                                    \
        unsigned r;                                                                                                                 \
        __asm__ volatile("xor %0, %0; cmp %3, %2; mov (%4), %%rcx; mov %%rcx, 8(%4); mov 16(%4), %%rcx; jmp 1f; ud2\n"              \
                         "1: dec %1; " jump " 2f; adc $4, %0; jmp 3f\n"                                                            \
                         "2: xor %0, %0\n"                                                                                         \
                         "3: mov 8(%4), %%rcx" : "=&r"(r), "+r"(n) : "r"(a), "r"(b), "r"(cell) : "rcx", "cc", "memory");             \
        return r;                                                                                                                   \
    }
CARRY(straight, "jz")
CARRY(other, "jns")

static unsigned carry_loop(unsigned n)
{
    static uint64_t cell[4];
    unsigned r = 0, a = 0x80000000;
    __asm__ volatile("clc; 1: mov (%3), %%rcx; mov %%rcx, 8(%3); adc %2, %2; adc $1, %0; mov 16(%3), %%rcx; dec %1; jnz 1b" : "+r"(r), "+r"(n), "+r"(a) : "r"(cell) : "rcx", "cc", "memory");
    return r;
}

int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 300; i++)
        sum = sum * 3 + carry_straight(i % 7, i % 5, 1 + i % 3) + carry_other(i % 5, i % 7, i % 3) + carry_loop(1 + i % 40);
    printf("carry %x\n", sum);
    SHOW(o);
    SHOW(b);
    SHOW(z);
    SHOW(be);
    SHOW(s);
    SHOW(p);
    SHOW(l);
    SHOW(le);
    return 0;
}

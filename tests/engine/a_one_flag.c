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

int main(void)
{
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

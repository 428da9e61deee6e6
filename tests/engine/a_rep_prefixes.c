// SPDX-License-Identifier: Apache-2.0
// String instructions with more than one REP prefix, of which the last counts, with one that means nothing to them, and with 32-bit addresses, where the count is ecx.
#include "a_guest.h"

#define ABOVE 0x500000000ul // what 32-bit addresses leave out

static char *low; // below 4 GiB

#define RUN(bytes, count, al)                                                                                                       \
    do {                                                                                                                            \
        memcpy(low, "aaabcaaaaaaaaaaa", 16), memcpy(low + 64, "aaabdaaaaaaaaaaa", 16);                                              \
        unsigned long c = (count), a = (unsigned char)(al), fl;                                                                     \
        char *s = low + (c & ABOVE), *d = low + 64 + (c & ABOVE);                                                                   \
        __asm__ volatile("cmp %%rax, %%rax; .byte " bytes "; pushfq; pop %4" : "+c"(c), "+a"(a), "+S"(s), "+D"(d), "=r"(fl)::"memory", "cc"); \
        printf("%-28s rcx %lx rax %lx rsi %+ld rdi %+ld fl %03lx %.16s %.16s\n", bytes, c, a, s - low, d - low - 64, fl & FLAGS_ALL, low, low + 64); \
    } while (0)

#define WITH(op)                                                                                                                    \
    do {                                                                                                                            \
        for (unsigned long n = 0; n < 9; n += 1 + n / 2) {                                                                          \
            RUN("0xf3, " op, n, 'a');                                                                                               \
            RUN("0xf2, " op, n, 'a');                                                                                               \
            RUN("0xf2, 0xf3, " op, n, 'a');                                                                                         \
            RUN("0xf3, 0xf2, " op, n, 'a');                                                                                         \
            RUN("0xf3, 0x66, 0xf2, 0xf2, 0x2e, " op, n, 'b');                                                                       \
            RUN("0x67, 0xf3, " op, n | ABOVE, 'a');                                                                                 \
            RUN("0xf2, 0x67, " op, n | ABOVE, 'b');                                                                                 \
        }                                                                                                                           \
        RUN("0x64, 0x67, 0xf3, " op, ABOVE, 'a'); /* no iteration, with fs and gs */                                                \
        RUN("0x65, 0x67, 0xf3, " op, ABOVE, 'a');                                                                                   \
    } while (0)

int main(void)
{
    low = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    CHECK(low != MAP_FAILED);
    WITH("0xa4"); // movsb
    WITH("0xa6"); // cmpsb
    WITH("0xaa"); // stosb
    WITH("0xac"); // lodsb
    WITH("0xae"); // scasb
    return 0;
}

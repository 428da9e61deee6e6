// test: cc=-mbmi -mbmi2
// SPDX-License-Identifier: Apache-2.0
// RIP-relative operands of instructions with a second source in r8 to r11, the registers that a far address is put through; and lea of 16 bits, which keeps what is above.
#include "a_guest.h"

uint64_t cell = 0x8877665544332211;

#define TWO(op, reg)                                                                                                                \
    do {                                                                                                                            \
        register uint64_t second __asm__(#reg) = 0x0f1e2d3c4b5a6978;                                                                \
        uint64_t out = 0;                                                                                                           \
        __asm__ volatile(#op " cell(%%rip), %1, %0" : "=r"(out) : "r"(second));                                                     \
        printf(#op " " #reg " %lx %lx\n", out, second);                                                                             \
    } while (0)
/* The count, or the like, is the second source here. */
#define COUNT(op, reg)                                                                                                              \
    do {                                                                                                                            \
        register uint64_t second __asm__(#reg) = 0x0c04;                                                                            \
        uint64_t out = 0;                                                                                                           \
        __asm__ volatile(#op " %1, cell(%%rip), %0" : "=r"(out) : "r"(second) : "cc");                                              \
        printf(#op " " #reg " %lx %lx\n", out, second);                                                                             \
    } while (0)
#define ALL(what, op)                                                                                                               \
    do {                                                                                                                            \
        what(op, r8);                                                                                                               \
        what(op, r9);                                                                                                               \
        what(op, r10);                                                                                                              \
        what(op, r11);                                                                                                              \
        what(op, rsi);                                                                                                              \
    } while (0)

int main(void)
{
    if (!__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2")) {
        puts("no BMI");
        return 0;
    }
    ALL(TWO, andn);
    ALL(TWO, pdep);
    ALL(TWO, pext);
    ALL(COUNT, bzhi);
    ALL(COUNT, bextr);
    ALL(COUNT, shlx);
    ALL(COUNT, sarx);
    uint64_t a = 0x0102030405060708, r9 = a;
    __asm__ volatile("lea cell(%%rip), %w0" : "+a"(a));
    __asm__ volatile("mov %0, %%r9; lea cell(%%rip), %%r9w; mov %%r9, %0" : "+r"(r9)::"r9");
    printf("lea %lx %lx %d %d\n", a >> 16, r9 >> 16, (uint16_t)a == (uint16_t)(uintptr_t)&cell, (uint16_t)r9 == (uint16_t)(uintptr_t)&cell);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * For tests that run routines natively: with all registers as they are told, on a stack of their own, and memory that
 * they may use (routines.c). */
#ifndef LP_NATIVE_H
#define LP_NATIVE_H
#include "opt/rop.h"
#include "unit.h"

#define STACK_BYTES 65536

u64 routine_memory[256] __attribute__((aligned(64)));
static u8 stack[STACK_BYTES] __attribute__((aligned(64)));

typedef u64 (*routine_fn)(u64, u64, u64, u64, u64, u64);
extern const routine_fn routines_0[], routines_1[], routines_2[];

/* Loads all registers, flags clear, calls fn, and stores them all again. */
void call_with(u64 *reg, const void *fn);
__asm__(".text\n.globl call_with\ncall_with:\n"
        "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "mov %rsp,own_stack(%rip); mov %rdi,registers(%rip); mov %rsi,target(%rip)\n"
        "pushq $2; popfq\n"
        "mov (%rdi),%rax; mov 8(%rdi),%rcx; mov 16(%rdi),%rdx; mov 24(%rdi),%rbx; mov 32(%rdi),%rsp; mov "
        "40(%rdi),%rbp; mov 48(%rdi),%rsi\n"
        "mov 64(%rdi),%r8; mov 72(%rdi),%r9; mov 80(%rdi),%r10; mov 88(%rdi),%r11; mov 96(%rdi),%r12; mov "
        "104(%rdi),%r13; mov 112(%rdi),%r14; mov 120(%rdi),%r15\n"
        "mov 56(%rdi),%rdi\n"
        "call *target(%rip)\n"
        "mov %rdi,last(%rip); mov registers(%rip),%rdi\n"
        "mov %rax,(%rdi); mov %rcx,8(%rdi); mov %rdx,16(%rdi); mov %rbx,24(%rdi); mov %rsp,32(%rdi); mov "
        "%rbp,40(%rdi); mov %rsi,48(%rdi)\n"
        "mov %r8,64(%rdi); mov %r9,72(%rdi); mov %r10,80(%rdi); mov %r11,88(%rdi); mov %r12,96(%rdi); mov "
        "%r13,104(%rdi); mov %r14,112(%rdi); mov %r15,120(%rdi)\n"
        "mov last(%rip),%rax; mov %rax,56(%rdi)\n"
        "mov own_stack(%rip),%rsp\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
        ".local own_stack\n.comm own_stack,8\n.local registers\n.comm registers,8\n.local target\n.comm "
        "target,8\n.local last\n.comm last,8\n");

static inline u64 random_value(void)
{
    static const u64 edge[] = {0,
                               1,
                               2,
                               0x7f,
                               0x80,
                               0xff,
                               0x7fff,
                               0x8000,
                               0xffff,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x7ffffffffffffffful,
                               0x8000000000000000ul,
                               ~0ul};
    u64 v = unit_random(~0ul);
    return unit_random(3) ? v >> unit_random(64) : edge[unit_random(ARRAY_LEN(edge))];
}

/* Everything as it is before a run. */
static inline void begin(u64 *reg, u64 *memory)
{
    for (u32 i = 0; i < ROP_REGISTERS; i++)
        reg[i] = random_value();
    for (u32 i = 0; i < 256; i++)
        memory[i] = random_value();
    reg[rop_registers.argument[ROP_ARGUMENTS - 1]] = unit_random(128);
    reg[rop_registers.stack] = (u64)stack + STACK_BYTES - 64;
}

#endif

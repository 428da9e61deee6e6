// SPDX-License-Identifier: Apache-2.0
// iretq of one's own: which flags they restore, and the stack pointer.
#include "a_guest.h"

static uint64_t returned(uint64_t flags)
{
    uint64_t r;
    __asm__ volatile("pushfq; pop %%rdx; mov %%rsp, %%rcx\n"
                     "mov %%ss, %%eax; push %%rax; push %%rcx; push %1; mov %%cs, %%eax; push %%rax; lea 1f(%%rip), %%rax; push %%rax; iretq\n"
                     "1: pushfq; pop %0; push %%rdx; popfq; cld; sub %%rsp, %%rcx; shl $32, %%rcx; or %%rcx, %0" : "=&r"(r) : "r"(flags) : "rax", "rcx", "rdx", "cc", "memory");
    return r;
}

int main(void)
{
    for (int bit = 0; bit < 22; bit++)
        if (bit != 8 && bit != 14) // TF has a guest of its own; NT would fault at the next one
            printf("%2d %06lx %06lx\n", bit, returned(1ul << bit), returned(0x202 ^ 1ul << bit));
    printf("all %06lx none %06lx\n", returned(0x3fbeff), returned(0));
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Short functions called so often that they are copied for each call: all registers and flags come back from them, returns that pop more, and now and then one that goes elsewhere than to its call.
#include "a_guest.h"

#define CALLS 60000

long clone_plain(long), clone_pops(long), clone_skips(long, long);
__asm__(".text\n"
        "clone_leaf: dec %rdi; jnz 1f; inc %rsi; ret; 1: lea (%rsi,%rdi,2), %rsi; cmp %rdx, %rdi; ret\n"                    // flags are what cmp or inc makes of them
        "clone_plain: xor %esi, %esi; mov $0x1234567, %ecx; mov $7, %edx; mov $-3, %rax; mov $5, %edi\n"
        "1: call clone_leaf; jb 2f; add $3, %rsi; jmp 3f\n"                                                                // they are looked at behind the return
        "2: call clone_leaf; jae 3f; dec %rsi\n"
        "3: cmp $0, %rdi; jg 1b\n"
        "   cmp $0x1234567, %rcx; jne 4f; cmp $-3, %rax; jne 4f; mov %rsi, %rax; ret; 4: ud2\n"
        "clone_pop16: lea 1(%rdi), %rax; add 8(%rsp), %rax; ret $16\n"
        "clone_pops: mov %rsp, %rcx; push $4; push $2; call clone_pop16; cmp %rsp, %rcx; je 1f; ud2; 1: ret\n"
        // The leaf returns behind the two bytes of "inc %eax" when rsi is 0, and carry stays set on the way.
        "clone_over: test %rsi, %rsi; jnz 1f; addq $2, (%rsp); stc; ret; 1: clc; ret\n"
        "clone_skips: xor %eax, %eax; mov $77, %ecx; call clone_over; .byte 0xff, 0xc0; adc %rdi, %rax; cmp $77, %ecx; je 1f; ud2; 1: ret\n");

int main(void)
{
    long plain = 0, pops = 0, skips = 0;
    for (long i = 0; i < CALLS; i++) {
        plain += clone_plain(i);
        pops += clone_pops(i);
        skips += clone_skips(i, i % 1000);
    }
    printf("%ld %ld %ld\n", plain, pops, skips);
    return 0;
}

// Loads that fault, at different places of a sequence: all registers, flags, address and instruction are exact. Not under short calls,
// which leave registers that the program does not need as they are.
// test: modes=plain,inproc,tiny,nolink,one,far,flush,tool,events,rewrite
#include "a_fault.h"

FAULT_SEQ(first, "mov 0x10, %rax");
FAULT_SEQ(after_moves, "mov $0x55, %ecx; xor %edx, %edx; mov 8(%rdx), %rbx; mov $1, %ecx");
FAULT_SEQ(after_flags, "xor %ecx, %ecx; sub $1, %ecx; stc; mov (%rdx), %rax; clc");
FAULT_SEQ(third_load, "mov (%rsp), %rax; xor %eax, %eax; mov 8(%rsp), %rcx; xor %ecx, %ecx; mov 0x123(%rcx,%rax,4), %rdx");
FAULT_SEQ(scaled, "mov $0x1000, %esi; xor %ebp, %ebp; movzbl -8(%rbp,%rsi,8), %edi");
FAULT_SEQ(not_canonical, "mov (%rax), %rcx");
FAULT_SEQ(by_bp, "mov (%rbp), %rcx");
FAULT_SEQ(in_loop, "mov $5, %ecx; xor %eax, %eax; 1: add %rcx, %rax; cmp $2, %ecx; je 2f; loop 1b; 2: mov (%rcx), %rdx");
FAULT_SEQ(after_call, "call 1f; xor %edx, %edx; add $3, %edx; mov (%rdx), %rdx; jmp 2f; 1: mov $7, %eax; ret; 2:");
FAULT_SEQ(inside_call, "xor %edi, %edi; call 1f; 1: push %rdi; add (%rdi), %eax");
FAULT_SEQ(load_add, "xor %ecx, %ecx; mov $3, %eax; add 16(%rcx), %eax; add $5, %eax");
FAULT_SEQ(vector, "xor %ecx, %ecx; movups 32(%rcx), %xmm3");
FAULT_SEQ(high_half, "movabs $0xffffffff80000000, %rsi; mov (%rsi), %al");
FAULT_SEQ(marked, "xor %eax, %eax; .byte 0x3e, 0x3e, 0x48, 0x8b, 0x88; .long 0x40; mov $1, %edx"); // as cache code of the engine's own has it
FAULT_SEQ(marked_high, "xor %eax, %eax; .byte 0x3e, 0x3e, 0x4c, 0x8b, 0x80; .long 0; mov $1, %edx");

int main(void)
{
    fault_install();
    fault_try(first);
    fault_try(after_moves);
    fault_try(after_flags);
    fault_try(third_load);
    fault_try(scaled);
    fault_try(not_canonical);
    fault_try(by_bp);
    fault_try(in_loop);
    fault_try(after_call);
    fault_try(inside_call);
    fault_try(load_add);
    fault_try(vector);
    fault_try(high_half);
    fault_try(marked);
    fault_try(marked_high);
    return 0;
}

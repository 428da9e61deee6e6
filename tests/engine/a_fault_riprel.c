// RIP-relative operands that point to a page without access.
#include "a_fault.h"

__asm__(".bss; .balign 4096; .globl hole; hole: .skip 8192; .text");
extern uint8_t hole[];
FAULT_SEQ(load, "mov $1, %ecx; mov hole+16(%rip), %rax; mov $2, %ecx");
FAULT_SEQ(store, "mov %rax, hole+24(%rip)");
FAULT_SEQ(immediate, "movl $0x12345678, hole+32(%rip)");
FAULT_SEQ(add, "stc; adcb $5, hole+1(%rip)");
FAULT_SEQ(high_byte, "mov %ah, hole+5(%rip)");
FAULT_SEQ(vector, "movups hole+64(%rip), %xmm1");
FAULT_SEQ(vex, "vpaddd hole+64(%rip), %ymm1, %ymm2");
FAULT_SEQ(locked, "lock cmpxchg16b hole+32(%rip)");
FAULT_SEQ(push, "pushq hole+8(%rip)");
FAULT_SEQ(pop, "popq hole+8(%rip)");
FAULT_SEQ(jump, "jmp *hole+8(%rip)");
FAULT_SEQ(call, "call *hole+8(%rip)");
FAULT_SEQ(divide, "xor %edx, %edx; divq hole+8(%rip)");

int main(void)
{
    CHECK(mprotect(hole, 4096, PROT_NONE) == 0);
    fault_install();
    fault_try(load);
    fault_try(store);
    fault_try(immediate);
    fault_try(add);
    fault_try(high_byte);
    fault_try(vector);
    fault_try(vex);
    fault_try(locked);
    fault_try(push);
    fault_try(pop);
    fault_try(jump);
    fault_try(call);
    fault_try(divide);
    return 0;
}

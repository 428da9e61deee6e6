// push, pop, call, ret, enter and leave on a stack that is not there, or of which half a word is: rsp, rbp and memory as they were before the instruction.
#include "a_fault.h"

#define BAD "movabs $0x200000000000, %rsp\n"
FAULT_SEQ(push_register, BAD "push %rax");
FAULT_SEQ(push_immediate, BAD "mov $1, %eax; push $5");
FAULT_SEQ(push_flags, BAD "stc; pushfq");
FAULT_SEQ(push_memory, BAD "pushq fault_rsp(%rip)");
FAULT_SEQ(pop_register, BAD "pop %rbx");
FAULT_SEQ(pop_memory, "xor %ecx, %ecx; popq 8(%rcx)");
FAULT_SEQ(pop_flags, BAD "popfq");
FAULT_SEQ(call_direct, BAD "mov $2, %eax; call 1f; 1: nop");
FAULT_SEQ(call_indirect, BAD "lea 1f(%rip), %r11; call *%r11; 1: nop");
FAULT_SEQ(return_plain, BAD "stc; ret");
FAULT_SEQ(return_imm, BAD "ret $16");
FAULT_SEQ(leave_frame, "movabs $0x200000000000, %rbp; leave");
FAULT_SEQ(enter_frame, BAD "enter $16, $0");
FAULT_SEQ(below_rsp, BAD "mov %rax, -8(%rsp)");
FAULT_SEQ(not_canonical, "movabs $0x8000000000000000, %rsp; push %rax");
FAULT_SEQ(not_canonical_pop, "movabs $0x8000000000000000, %rsp; pop %rax");
FAULT_SEQ(not_canonical_load, "movabs $0x8000000000000000, %rsp; mov 8(%rsp), %rax");
FAULT_SEQ(second_push, "movabs $0x200000002008, %rsp; push %rax; push %rcx; push %rdx");

#define HALF "movabs $0x200000003004, %rsp\n"
FAULT_SEQ(half_push, HALF "push %rax");
FAULT_SEQ(half_call, HALF "call 1f; 1: nop");
FAULT_SEQ(half_call_register, HALF "lea 1f(%rip), %r11; call *%r11; 1: nop");
FAULT_SEQ(half_call_memory, "movabs $0x200000002000, %r10; lea 1f(%rip), %r11; mov %r11, (%r10);" HALF "call *(%r10); 1: nop");

#define TRY_HALF(name)                                  \
    do {                                                \
        unsigned *half = (unsigned *)0x200000002ffcul;  \
        *half = 0xdddddddd;                             \
        fault_try(name);                                \
        printf("  half %#x\n", *half);                  \
    } while (0)

int main(void)
{
    arena_map(0x2000, 1, PROT_READ | PROT_WRITE);
    fault_install();
    fault_try(push_register);
    fault_try(push_immediate);
    fault_try(push_flags);
    fault_try(push_memory);
    fault_try(pop_register);
    fault_try(pop_memory);
    fault_try(pop_flags);
    fault_try(call_direct);
    fault_try(call_indirect);
    fault_try(return_plain);
    fault_try(return_imm);
    fault_try(leave_frame);
    fault_try(enter_frame);
    fault_try(below_rsp);
    fault_try(not_canonical);
    fault_try(not_canonical_pop);
    fault_try(not_canonical_load);
    fault_try(second_push);
    TRY_HALF(half_push);
    TRY_HALF(half_call);
    TRY_HALF(half_call_register);
    TRY_HALF(half_call_memory);
    return 0;
}

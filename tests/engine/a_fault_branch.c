// Branches to where no code is: NULL, a data page, an unmapped page, through a bad pointer, calls of an address that is not canonical.
#include "a_fault.h"

#define ARENA_AT "movabs $0x200000000000, %rdx\n"
FAULT_SEQ(jump_null, "xor %edx, %edx; jmp *%rdx");
FAULT_SEQ(call_null, "xor %edx, %edx; mov $1, %eax; call *%rdx");
FAULT_SEQ(call_null_memory, "call *null_pointer(%rip)");
FAULT_SEQ(jump_data, ARENA_AT "stc; jmp *%rdx");
FAULT_SEQ(jump_data_middle, ARENA_AT "add $0x123, %rdx; jmp *%rdx");
FAULT_SEQ(jump_unmapped, ARENA_AT "add $0x5678, %rdx; jmp *%rdx");
FAULT_SEQ(jump_none, ARENA_AT "add $0x1000, %rdx; jmp *%rdx");
FAULT_SEQ(return_null, "push $0; ret");
FAULT_SEQ(return_data, ARENA_AT "push %rdx; ret");
FAULT_SEQ(pointer_null, "xor %ecx, %ecx; call *8(%rcx)");
FAULT_SEQ(pointer_jump, "xor %ecx, %ecx; jmp *16(%rcx)");
FAULT_SEQ(pointer_rsp, "xor %esp, %esp; jmp *8(%rsp)");
FAULT_SEQ(over_end, "movabs $0x200000003ffe, %rdx; jmp *%rdx");
FAULT_SEQ(behind_end, "movabs $0x200000003fff, %rdx; jmp *%rdx");
FAULT_SEQ(call_not_canonical, "call *%rax");
FAULT_SEQ(call_not_canonical_rex, "mov %rax, %r8; call *%r8");
FAULT_SEQ(call_not_canonical_prefix, "movabs $0x6666666666666666, %r13; call *%r13"); // its last byte would be a prefix
FAULT_SEQ(call_not_canonical_memory, "call *bad_pointer(%rip)");
FAULT_SEQ(call_not_canonical_stack, "push %rax; xor %ecx, %ecx; call *(%rsp,%rcx,8)");
FAULT_SEQ(call_not_canonical_segment, "xor %ecx, %ecx; call *%fs:thread_pointer@tpoff(,%rcx,8)");
void *null_pointer;
uint64_t bad_pointer = 0x4141414141414141;
__thread uint64_t thread_pointer = 0x4242424242424242;

int main(void)
{
    arena_map(0, 1, PROT_READ | PROT_WRITE);
    arena_map(0x1000, 1, PROT_NONE);
    uint8_t *m = arena_map(0x3000, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy(m + 0xffe, "\x48\xb8", 2); // a movabs whose immediate is not there
    fault_install();
    fault_try(jump_null);
    fault_try(call_null);
    fault_try(call_null_memory);
    fault_try(jump_data);
    fault_try(jump_data_middle);
    fault_try(jump_unmapped);
    fault_try(jump_none);
    fault_try(return_null);
    fault_try(return_data);
    fault_try(call_not_canonical);
    fault_try(call_not_canonical_rex);
    fault_try(call_not_canonical_prefix);
    fault_try(call_not_canonical_memory);
    fault_try(call_not_canonical_stack);
    fault_try(call_not_canonical_segment);
    fault_try(pointer_null);
    fault_try(pointer_jump);
    fault_try(pointer_rsp);
    fault_try(over_end);
    m[0xfff] = 0x90; // a nop, and then the end of the page
    fault_try(behind_end);
    return 0;
}

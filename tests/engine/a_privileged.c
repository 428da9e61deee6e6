// Privileged instructions: a general protection fault, seen as SIGSEGV, at the instruction.
#include "a_fault.h"

FAULT_SEQ(halt, "mov $1, %eax; hlt");
FAULT_SEQ(clear_interrupts, "cli");
FAULT_SEQ(set_interrupts, "sti");
FAULT_SEQ(in_byte, "mov $0x80, %edx; in %dx, %al");
FAULT_SEQ(out_long, "out %eax, $0x80");
FAULT_SEQ(in_string, "mov $3, %ecx; rep insb");
FAULT_SEQ(in_no_string, "xor %ecx, %ecx; rep insb");
FAULT_SEQ(out_no_string, "xor %ecx, %ecx; lea -64(%rsp), %rsi; rep outsl");
FAULT_SEQ(read_msr, "mov $0x10, %ecx; rdmsr");
FAULT_SEQ(write_msr, "wrmsr");
FAULT_SEQ(move_cr, "mov %cr0, %rax");
FAULT_SEQ(move_dr, "mov %rax, %dr7");
FAULT_SEQ(load_idt, "lidt -16(%rsp)");
FAULT_SEQ(invalidate, "invlpg (%rsp)");
FAULT_SEQ(write_back, "wbinvd");
FAULT_SEQ(system_return, "sysretq");
FAULT_SEQ(swap, "swapgs");
FAULT_SEQ(clear_task, "clts");
FAULT_SEQ(set_xcr, "xor %ecx, %ecx; xor %edx, %edx; mov $7, %eax; xsetbv");

int main(void)
{
    fault_install();
    fault_try(halt);
    fault_try(clear_interrupts);
    fault_try(set_interrupts);
    fault_try(in_byte);
    fault_try(out_long);
    fault_try(in_string);
    fault_try(in_no_string);
    fault_try(out_no_string);
    fault_try(read_msr);
    fault_try(write_msr);
    fault_try(move_cr);
    fault_try(move_dr);
    fault_try(load_idt);
    fault_try(invalidate);
    fault_try(write_back);
    fault_try(system_return);
    fault_try(swap);
    fault_try(clear_task);
    fault_try(set_xcr);
    return 0;
}

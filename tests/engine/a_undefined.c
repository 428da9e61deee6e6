// Undefined instructions: SIGILL at the instruction itself.
#include "a_fault.h"

FAULT_SEQ(undefined2, "mov $1, %eax; ud2");
FAULT_SEQ(undefined1, "mov $2, %eax; .byte 0x0f, 0xb9, 0xc0");
FAULT_SEQ(undefined0, "mov $3, %eax; .byte 0x0f, 0xff, 0xc0");
FAULT_SEQ(old_push, "mov $4, %eax; .byte 0x06");
FAULT_SEQ(old_daa, "mov $5, %eax; .byte 0x27");
FAULT_SEQ(old_salc, "mov $6, %eax; .byte 0xd6");
FAULT_SEQ(old_into, "mov $7, %eax; .byte 0xce");
FAULT_SEQ(lock_mov, "mov $8, %eax; .byte 0xf0, 0x89, 0x00");
FAULT_SEQ(lock_register, "mov $9, %eax; .byte 0xf0, 0x01, 0xc0");
FAULT_SEQ(lea_register, "mov $10, %eax; .byte 0x8d, 0xc0");
FAULT_SEQ(mov_to_cs, "mov $11, %eax; .byte 0x8e, 0xc8");
FAULT_SEQ(group_hole, "mov $12, %eax; .byte 0xff, 0xf8");
FAULT_SEQ(rex_then_vex, "mov $13, %eax; .byte 0x48, 0xc5, 0xf8, 0x77");
FAULT_SEQ(many_operands, "mov $15, %eax; .byte 0xf3, 0x0f, 0xa7, 0xd0"); // xcrypt-cbc of VIA's CPUs: five operands in memory
FAULT_SEQ(after_jump, "jmp 1f; nop; 1: test %eax, %eax; jz 2f; ud2; 2: nop");
FAULT_SEQ(map_hole, "mov $14, %eax; .byte 0x0f, 0x04");

int main(void)
{
    fault_install();
    fault_try(undefined2);
    fault_try(undefined1);
    fault_try(undefined0);
    fault_try(old_push);
    fault_try(old_daa);
    fault_try(old_salc);
    fault_try(old_into);
    fault_try(lock_mov);
    fault_try(lock_register);
    fault_try(lea_register);
    fault_try(mov_to_cs);
    fault_try(group_hole);
    fault_try(rex_then_vex);
    fault_try(many_operands);
    fault_try(after_jump);
    fault_try(map_hole);
    return 0;
}

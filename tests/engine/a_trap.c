// int3, int $3, icebp-like traps and int $0x80..: what the handler sees, and that execution goes on behind.
#include "a_fault.h"

FAULT_SEQ(one_byte, "nop; int3; nop");
FAULT_SEQ(two_bytes, "nop; .byte 0xcd, 3; nop");
FAULT_SEQ(prefixed, "stc; .byte 0x66, 0xcc");
FAULT_SEQ(interrupt, "clc; int $0x55");
FAULT_SEQ(overflow_vector, "int $4");
FAULT_SEQ(single, "movl $5, %eax; .byte 0xf1");

static int traps;
static void count(int sig)
{
    (void)sig;
    traps++;
}

int main(void)
{
    fault_install();
    fault_try(one_byte);
    fault_try(two_bytes);
    fault_try(prefixed);
    fault_try(interrupt);
    fault_try(overflow_vector);
    fault_try(single);
    signal(SIGTRAP, count);
    for (int i = 0; i < 1000; i++)
        __asm__ volatile("int3");
    printf("%d\n", traps);
    return 0;
}

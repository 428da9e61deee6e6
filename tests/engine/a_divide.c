// Arithmetic exceptions: integer division by zero and overflow, x87 and SSE exceptions when unmasked.
#include "a_fault.h"

uint32_t csr_open = 0x1f80 & ~0x200, csr_default = 0x1f80;
uint16_t cw_open = 0x37b, cw_default = 0x37f;
float zeros[4];
FAULT_SEQ(divide_zero, "xor %edx, %edx; xor %ecx, %ecx; mov $7, %eax; div %ecx");
FAULT_SEQ(divide_overflow, "mov $7, %edx; mov $7, %ecx; idiv %rcx");
FAULT_SEQ(divide_memory, "xor %edx, %edx; divl zeros(%rip)");
FAULT_SEQ(divide_byte, "mov $0x7fff, %eax; mov $1, %ecx; div %cl");
FAULT_SEQ(sse_divide, "ldmxcsr csr_open(%rip); mov $5, %eax; cvtsi2ss %eax, %xmm0; divss zeros(%rip), %xmm0");
FAULT_SEQ(x87_divide, "fninit; fldcw cw_open(%rip); fld1; fldz; fdivrp; mov $1, %eax; fwait; mov $2, %eax");

int main(void)
{
    fault_install();
    fault_try(divide_zero);
    fault_try(divide_overflow);
    fault_try(divide_memory);
    fault_try(divide_byte);
    fault_try(sse_divide);
    __asm__ volatile("ldmxcsr %0" ::"m"(csr_default));
    fault_try(x87_divide);
    __asm__ volatile("fnclex; fldcw %0" ::"m"(cw_default));
    CHECK(csr_open && cw_open && zeros[0] == 0);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: registers of all kinds with known values. */
#include <stdio.h>

static double deep(void)
{
    double r;
    __asm__ volatile("fninit; fld1; fldpi; fldl2e\n\t"
                     "movl $0x01020304, %%eax; movd %%eax, %%xmm3; pshufd $0, %%xmm3, %%xmm3\n\t"
                     "movq %%xmm3, %%xmm15\n\t"
                     "movabs $0x1122334455667788, %%r12; xor %%r13d, %%r13d; stc\n\t"
                     ".globl here\nhere: nop\n\t"
                     "fstpl %0; fstp %%st; fstp %%st" : "=m"(r) : : "rax", "r12", "r13", "xmm3", "xmm15", "cc");
    return r;
}

static double after(void)
{
    double r;
    __asm__ volatile(".globl there\nthere: nop\n\tmovq %%xmm3, %0" : "=x"(r) : : "xmm3");
    return r;
}

int main(void)
{
    double a = deep(), b = after();
    printf("%.3f %.1f\n", a, b);
    return 0;
}

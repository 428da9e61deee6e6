// Vector registers, MXCSR, the x87 stack and control word stay over system calls, calls and cache exits.
// test: cc=-mavx
#include "a_guest.h"
#include <sys/syscall.h>

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define LOAD(n) "vmovdqu 32*" #n "(%[in]), %%ymm" #n "\n"
#define STORE(n) "vmovdqu %%ymm" #n ", 32*" #n "(%[out])\n"
#define NAME(n) "xmm" #n,
static uint64_t in[64], out[64];
static uint32_t csr = 0x5fbf, csr_out, csr_default = 0x1f80;
static uint16_t cw = 0x0c7f, cw_out, cw_default = 0x37f;

static void try(long number)
{
    memset(out, 0, sizeof out);
    double top = 0;
    __asm__ volatile("ldmxcsr %[csr]; fninit; fldcw %[cw]; fldpi\n" EACH(LOAD)
                     "lea 1f(%%rip), %%rdx; jmp *%%rdx; ud2; 1: mov %[n], %%rax; mov $-1, %%rdi; syscall\n"
                     "lea 2f(%%rip), %%rdx; push %%rdx; ret; ud2; 2:\n" EACH(STORE)
                     "stmxcsr %[csr2]; fnstcw %[cw2]; fstpl %[top]; ldmxcsr %[csr0]; fldcw %[cw0]; vzeroupper"
                     : [csr2] "=m"(csr_out), [cw2] "=m"(cw_out), [top] "=m"(top), "=m"(out)
                     : [csr] "m"(csr), [cw] "m"(cw), [csr0] "m"(csr_default), [cw0] "m"(cw_default), [n] "r"(number), [in] "r"(in), [out] "r"(out), "m"(in)
                     : EACH(NAME) "rax", "rcx", "rdx", "rdi", "r11", "st", "memory", "cc");
    printf("%ld: same %d mxcsr %x cw %x top %.15f\n", number, memcmp(in, out, sizeof in) == 0, csr_out, cw_out, top);
}

int main(void)
{
    for (unsigned i = 0; i < 64; i++)
        in[i] = 0x0123456789abcdef * (i + 1);
    try(SYS_getppid);
    try(SYS_close);
    try(SYS_munmap);
    try(SYS_sched_yield);
    try(SYS_rt_sigprocmask);
    try(99999);
    return 0;
}

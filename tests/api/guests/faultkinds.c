// SPDX-License-Identifier: Apache-2.0
// One fault of each kind, each at a label of its own; the program's handler goes on behind it.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;
static int zero;

static void handler(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

#define FAULT(name, ...)                                                   \
    if (!sigsetjmp(back, 1)) {                                             \
        __asm__ volatile(".globl at_" name "\nat_" name ": " __VA_ARGS__); \
    }

int main(void)
{
    int sigs[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    struct sigaction act = {.sa_handler = handler};
    for (int i = 0; i < 5; i++)
        sigaction(sigs[i], &act, NULL);
    char *page = mmap((void *)0x30000000, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    FILE *f = tmpfile();
    char *file = mmap((void *)0x30010000, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fileno(f), 0);
    if (page == MAP_FAILED || file == MAP_FAILED)
        return 1;
    FAULT("read", "mov (%%rax), %%eax" : : "a"(0x40L) : "memory");
    FAULT("write", "mov %%eax, (%%rax)" : : "a"(0x40L) : "memory");
    FAULT("denied", "mov %%eax, (%%rax)" : : "a"(page) : "memory");
    FAULT("jump", "jmp *%%rax" : : "a"(page) : "memory");
    FAULT("file", "mov (%%rax), %%eax" : : "a"(file) : "memory");
    FAULT("strange", "mov (%%rax), %%eax" : : "a"(0x8000000000000000) : "memory");
    FAULT("aligned", "movaps (%%rax), %%xmm0" : : "a"(page + 1) : "memory", "xmm0");
    FAULT("hlt", "hlt");
    FAULT("illegal", "ud2");
    FAULT("divide", "xor %%edx, %%edx\n at_divl: divl %0" : : "m"(zero), "a"(1) : "rdx");
    FAULT("int3", "int3");
    unsigned csr = 0x1d80; // division by zero unmasked
    __asm__ volatile("ldmxcsr %0" : : "m"(csr));
    FAULT("simd", "divss %1, %0" : : "x"(1.0f), "x"(0.0f));
    FAULT("x87", "fninit\n push $0x37b\n fldcw (%%rsp)\n pop %%rax\n fldz\n fld1\n fdivp\n at_fwait: fwait" : : : "rax", "memory");
    return 0;
}
//> faultkinds
//= 11 ACCESS_INVALID_ADDRESS at at_read read 0x40
//= 11 ACCESS_INVALID_ADDRESS at at_write write 0x40
//= 11 ACCESS_DENIED at at_denied write 0x30000000
//= 11 ACCESS_DENIED at 0x30000000 execute 0x30000000
//= 7 ACCESS_INVALID_PAGE at at_file read 0x30010000
//= 11 RECEIVED_ACCESS_FAULT at at_strange
//= 11 RECEIVED_ACCESS_FAULT at at_aligned
//= 11 PRIVILEGED_INS at at_hlt
//= 4 ILLEGAL_INS at at_illegal
//= 8 INT_DIVIDE_BY_ZERO at at_divl
//= 5 DBG_BREAKPOINT_TRAP at at_int3+1
//= 8 SIMD_DIVIDE_BY_ZERO at at_simd
//= 8 X87_DIVIDE_BY_ZERO at at_fwait

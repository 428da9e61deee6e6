// RIP-relative operands of every shape: loads, stores, read-modify-write, immediates of each size, lea, push, pop, shifts, cmov, set.
// test[pie]: cc=-pie -fPIE
// test[nopie]: cc=-no-pie -fno-pie
#include "a_guest.h"

extern uint64_t *cell_address;
uint64_t cell[4] = {0x1122334455667788, 0x99aabbccddeeff00, 3, 4};

#define RUN(text)                                                                                                               \
    do {                                                                                                                        \
        uint64_t a = 0x0102030405060708, c = 0x05, d = 77, fl;                                                                  \
        cell[0] = 0x1122334455667788, cell[1] = 0x99aabbccddeeff00;                                                             \
        __asm__ volatile("cmp %%rax, %%rax; " text "; pushfq; pop %3" : "+a"(a), "+c"(c), "+d"(d), "=r"(fl)::"memory", "cc");   \
        printf("%-40s a %lx c %lx d %lx fl %03lx cell %lx %lx\n", text, a, c, d, fl & FLAGS_ALL, cell[0], cell[1]);             \
    } while (0)

int main(void)
{
    RUN("mov cell(%%rip), %%rax");
    RUN("mov cell+3(%%rip), %%eax");
    RUN("movzwl cell+1(%%rip), %%eax");
    RUN("movsbq cell(%%rip), %%rax");
    RUN("movslq cell+8(%%rip), %%rax");
    RUN("mov %%rax, cell(%%rip)");
    RUN("movb $0x5a, cell(%%rip)");
    RUN("movw $0x1234, cell(%%rip)");
    RUN("movl $0x12345678, cell(%%rip)");
    RUN("movq $-2, cell(%%rip)");
    RUN("addb $0x7f, cell(%%rip)");
    RUN("addq $0x7f, cell(%%rip)");
    RUN("addq $0x12345678, cell(%%rip)");
    RUN("sbbw $0x7fff, cell(%%rip)");
    RUN("xorl $-1, cell+4(%%rip)");
    RUN("andq %%rax, cell(%%rip)");
    RUN("add cell(%%rip), %%eax");
    RUN("incq cell(%%rip)");
    RUN("negl cell(%%rip)");
    RUN("shlq $5, cell(%%rip)");
    RUN("rorq %%cl, cell(%%rip)");
    RUN("shldq $7, %%rax, cell(%%rip)");
    RUN("imul $0x1234567, cell(%%rip), %%rax");
    RUN("imul $3, cell(%%rip), %%eax");
    RUN("mulq cell(%%rip)");
    RUN("xor %%edx, %%edx; divq cell(%%rip)");
    RUN("testl $0x80000000, cell(%%rip)");
    RUN("cmpq $0x7788, cell(%%rip)");
    RUN("btsq $9, cell(%%rip)");
    RUN("cmove cell(%%rip), %%rdx");
    RUN("setb cell(%%rip)");
    RUN("xchg %%rax, cell(%%rip)");
    RUN("pushq cell+8(%%rip); popq cell(%%rip)");
    RUN("lea cell+8(%%rip), %%rax; sub cell_address(%%rip), %%rax");
    RUN("lea cell+1(%%rip), %%ax; mov $0, %%eax");
    RUN("crc32b cell(%%rip), %%eax");
    RUN("movbe cell(%%rip), %%rax");
    RUN("bsf cell(%%rip), %%rax");
    RUN("prefetcht0 cell(%%rip)");
    RUN("lea cell(%%eip), %%eax; mov cell_address(%%rip), %%edx; sub %%edx, %%eax; xor %%edx, %%edx");
    return 0;
}
uint64_t *cell_address = cell;

// Instructions that may leave their register, or part of it, as it was: its old value must be there, whatever was done with it since (calls of tools before each access).
#include "a_guest.h"

uint64_t cell, zero;
#define RUN(text)                                                                                                                                       \
    do {                                                                                                                                                \
        uint64_t a = 0x0102030405060708, d = (uint64_t)&cell, b = 0x1112131415161718, i = 0x2122232425262728;                                           \
        __asm__ volatile("mov (%1), %%rcx; mov %%rcx, 8(%1); mov (%1), %%r9; " text : "+a"(a), "+d"(d), "+b"(b), "+D"(i)::"memory", "cc", "rcx", "r9"); \
        printf("%-24s %lx %lx %lx\n", text, a, b, i);                                                                                                   \
    } while (0)

int main(void)
{
    RUN("smsw %%edi");
    RUN("smsw %%eax");
    RUN("smsw %%bx");
    RUN("str %%eax");
    RUN("sldt %%edi");
    RUN("bsf %%rcx, %%rdi");
    RUN("bsf %%rcx, %%rax");
    RUN("bsr (%%rdx), %%rbx");
    RUN("bsr 8(%%rdx), %%rdi");
    RUN("cmp %%ecx, %%ecx; cmovne %%rcx, %%rax");
    RUN("mov %%ch, %%bl");
    RUN("setne %%ah");
    return 0;
}

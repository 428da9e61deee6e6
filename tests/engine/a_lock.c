// Locked and exchanging instructions on RIP-relative and other memory: results and flags.
// test: cc=-mcx16
#include "a_guest.h"

_Alignas(16) uint64_t cell[2];

#define RUN(text)                                                                                                               \
    do {                                                                                                                        \
        uint64_t a = 0x1111, b = 0x2222, c = 0x3333, d = 0x4444, fl;                                                            \
        cell[0] = 0x1111, cell[1] = 0x4444;                                                                                     \
        __asm__ volatile("xor %%r8d, %%r8d; " text "; pushfq; pop %4" : "+a"(a), "+b"(b), "+c"(c), "+d"(d), "=r"(fl) : "D"(cell) : "r8", "memory", "cc"); \
        printf("%-44s %lx %lx %lx %lx fl %03lx cell %lx %lx\n", text, a, b, c, d, fl & FLAGS_ALL, cell[0], cell[1]);            \
    } while (0)

int main(void)
{
    RUN("lock incq cell(%%rip)");
    RUN("lock decb cell(%%rip)");
    RUN("lock addl $0x12345678, cell(%%rip)");
    RUN("lock xadd %%rcx, cell(%%rip)");
    RUN("lock btsl $5, cell(%%rip)");
    RUN("lock btcq %%rcx, (%%rdi)");
    RUN("lock notq cell(%%rip)");
    RUN("lock negw cell(%%rip)");
    RUN("lock cmpxchg %%rcx, cell(%%rip)");
    RUN("mov $5, %%eax; lock cmpxchg %%ecx, cell(%%rip)");
    RUN("lock cmpxchg8b cell(%%rip)");
    RUN("lock cmpxchg16b cell(%%rip)");
    RUN("mov $9, %%edx; lock cmpxchg16b cell(%%rip)");
    RUN("cmpxchg16b (%%rdi)");
    RUN("xchg %%rax, cell(%%rip); xchg %%rbx, 8(%%rdi)");
    RUN("lock orb $0x80, (%%rdi)");
    RUN("lock xorw $0x7fff, 2(%%rdi,%%r8,8)");
    return 0;
}

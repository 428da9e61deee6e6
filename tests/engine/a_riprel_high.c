// High-byte registers (no REX possible) with RIP-relative memory, and REX forms of the same register numbers beside them.
#include "a_guest.h"

uint64_t cell;

#define RUN(text)                                                                                                               \
    do {                                                                                                                        \
        uint64_t a = 0x1111111111112211, b = 0x3333333333334433, c = 0x5555555555556605, d = 0x7777777777778877, fl;            \
        uint64_t si = 0x9999999999999999;                                                                                       \
        cell = 0x00ff80017ffe0203;                                                                                              \
        __asm__ volatile("cmp %%eax, %%eax; " text "; pushfq; pop %5" : "+a"(a), "+b"(b), "+c"(c), "+d"(d), "+S"(si), "=r"(fl)::"r8", "memory", "cc"); \
        printf("%-36s %lx %lx %lx %lx %lx fl %03lx cell %lx\n", text, a, b, c, d, si, fl & FLAGS_ALL, cell);                    \
    } while (0)

int main(void)
{
    RUN("mov %%ah, cell(%%rip)");
    RUN("mov cell(%%rip), %%bh");
    RUN("add cell+2(%%rip), %%ch");
    RUN("add %%dh, cell+2(%%rip)");
    RUN("xchg %%ah, cell(%%rip)");
    RUN("cmp %%bh, cell(%%rip)");
    RUN("cmpxchg %%dh, cell(%%rip)");
    RUN("xadd %%ch, cell(%%rip)");
    RUN("movzbl %%ah, %%eax; mov %%al, cell(%%rip)");
    RUN("movsbl %%dh, %%ecx; mov %%ecx, cell(%%rip)");
    RUN("mov %%sil, cell(%%rip)");
    RUN("add cell(%%rip), %%sil");
    RUN("mov cell(%%rip), %%r8b; mov %%r8b, cell+5(%%rip)");
    RUN("sete %%ah; setne cell+1(%%rip)");
    RUN("mulb cell(%%rip)");
    RUN("mov $0x1ff, %%eax; divb cell(%%rip)");
    RUN("mov $0x12, %%bh; test %%bh, cell(%%rip)");
    return 0;
}

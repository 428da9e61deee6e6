// enter with nesting levels 0 to 31 (an instruction of its own for each), leave, and the frame that is made.
#include "a_guest.h"

static uint64_t block[128];

#define ENTER(size, level)                                                                                                      \
    do {                                                                                                                        \
        uint64_t sp, bp, after, old = (uint64_t)(block + 100);                                                                  \
        for (int i = 0; i < 128; i++)                                                                                           \
            block[i] = 1000 + (unsigned)i;                                                                                      \
        __asm__ volatile("mov %%rsp, %%r12; mov %%rbp, %%r13; lea 640(%[b]), %%rsp; mov %[old], %%rbp\n"                        \
                         "enter $" #size ", $" #level "; mov %%rsp, %%r14; mov %%rbp, %%r15; leave; mov %%rsp, %%rbx\n"         \
                         "cmp %%rbp, %[old]; je 1f; ud2; 1: mov %%r12, %%rsp; mov %%r13, %%rbp\n"                               \
                         "mov %%r14, %[sp]; mov %%r15, %[bp]; mov %%rbx, %[after]"                                              \
                         : [sp] "=&S"(sp), [bp] "=&D"(bp), [after] "=&d"(after)                                                 \
                         : [b] "a"(block), [old] "c"(old)                                                                       \
                         : "rbx", "r12", "r13", "r14", "r15", "memory");                                                        \
        show(size, level, sp, bp, after);                                                                                       \
    } while (0)

static void show(int size, int level, uint64_t sp, uint64_t bp, uint64_t after)
{
    uint64_t base = (uint64_t)block;
    printf("%d %d: sp %ld bp %ld after %ld:", size, level, (long)(sp - base), (long)(bp - base), (long)(after - base));
    for (int i = 79; i > 40; i--) {
        uint64_t v = block[i];
        if (v >= base && v < base + sizeof block)
            printf(" @%ld", (long)(v - base));
        else
            printf(" %ld", (long)v);
    }
    printf("\n");
}

int main(void)
{
    ENTER(0, 0);
    ENTER(16, 0);
    ENTER(0, 1);
    ENTER(24, 1);
    ENTER(8, 2);
    ENTER(32, 5);
    ENTER(0, 31);
    ENTER(8, 33); // the level counts modulo 32
    return 0;
}

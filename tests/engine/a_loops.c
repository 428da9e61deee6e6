// loop, loope, loopne, jrcxz, jecxz: counts, flags left alone, taken and not taken, 32-bit counter forms.
#include "a_guest.h"

#define LOOP(op, start, test)                                                                                                   \
    do {                                                                                                                        \
        uint64_t cx = start, turns = 0, fl;                                                                                     \
        __asm__ volatile("1: inc %1; cmp $" #test ", %1; stc; " op " 1b; pushfq; pop %2" : "+c"(cx), "+r"(turns), "=r"(fl)::"cc"); \
        printf("%-14s %#lx %d: turns %lu cx %#lx fl %03lx\n", op, (uint64_t)start, test, turns, cx, fl & FLAGS_ALL);            \
    } while (0)

#define JZ(op, value)                                                                                                           \
    do {                                                                                                                        \
        uint64_t cx = value, fl, r;                                                                                             \
        __asm__ volatile("mov $1, %1; cmp $2, %1; " op " 1f; mov $0, %1; 1: pushfq; pop %2" : "+c"(cx), "=&r"(r), "=r"(fl)::"cc"); \
        printf("%s %#lx: %lu fl %03lx\n", op, (uint64_t)value, r, fl & FLAGS_ALL);                                              \
    } while (0)

int main(void)
{
    LOOP("loop", 1, 0);
    LOOP("loop", 10, 4);
    LOOP("loope", 10, 1);
    LOOP("loope", 1, 1);
    LOOP("loopne", 10, 3);
    LOOP("loopne", 2, 9);
    LOOP("addr32 loop", 0x500000003, 9);
    LOOP("addr32 loopne", 0x100000002, 1);
    JZ("jrcxz", 0);
    JZ("jrcxz", 1);
    JZ("jrcxz", 0x100000000);
    JZ("jecxz", 0);
    JZ("jecxz", 0x100000000);
    JZ("jecxz", 0x80000000);
    return 0;
}

// stos and lods in all widths, both directions, zero and large counts.
#include "a_guest.h"

static uint8_t buffer[8192];

static void show(const char *text, unsigned n, long at, uint64_t cx, uint64_t ax)
{
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof buffer; i++)
        sum = sum * 31 + buffer[i];
    printf("%s %u: at %ld cx %lu ax %lx sum %08x\n", text, n, at, cx, ax, sum);
}

#define RUN(reg, text)                                                                                                          \
    for (unsigned n = 0; n < 500; n += 1 + n * 5) {                                                                             \
        uint8_t *at = buffer + 4096;                                                                                            \
        uint64_t cx = n, ax = 0x1122334455667788 + n;                                                                           \
        __asm__ volatile(text "; cld" : "+" reg(at), "+c"(cx), "+a"(ax)::"memory");                                             \
        show(text, n, at - buffer, cx, ax);                                                                                     \
    }

int main(void)
{
    RUN("D", "rep stosb")
    RUN("D", "rep stosw")
    RUN("D", "rep stosl")
    RUN("D", "rep stosq")
    RUN("D", "std; rep stosb")
    RUN("D", "std; rep stosq")
    RUN("D", "stosb")
    RUN("D", "std; stosl")
    RUN("S", "rep lodsb")
    RUN("S", "rep lodsw")
    RUN("S", "std; rep lodsl")
    RUN("S", "lodsq")
    return 0;
}

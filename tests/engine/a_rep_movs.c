// movs in all widths: once and repeated, forward and backward, count zero, overlapping, with the registers that are left.
#include "a_guest.h"

static uint8_t buffer[256];

#define MOVS(text)                                                                                                              \
    for (int back = 0; back < 2; back++)                                                                                        \
        for (unsigned n = 0; n < 9; n += 1 + n / 2) {                                                                           \
            for (int i = 0; i < 256; i++)                                                                                       \
                buffer[i] = (uint8_t)i;                                                                                         \
            uint8_t *si = buffer + 96, *di = buffer + 101;                                                                      \
            uint64_t cx = n;                                                                                                    \
            if (back)                                                                                                           \
                __asm__ volatile("std; " text "; cld" : "+S"(si), "+D"(di), "+c"(cx)::"memory");                                \
            else                                                                                                                \
                __asm__ volatile(text : "+S"(si), "+D"(di), "+c"(cx)::"memory");                                                \
            show(text, back, n, si - buffer, di - buffer, cx);                                                                  \
        }

static void show(const char *text, int back, unsigned n, long si, long di, uint64_t cx)
{
    unsigned sum = 0;
    for (int i = 0; i < 256; i++)
        sum = sum * 31 + buffer[i];
    printf("%s %d %u: si %ld di %ld cx %lu sum %08x\n", text, back, n, si, di, cx, sum);
}

int main(void)
{
    MOVS("movsb")
    MOVS("movsq")
    MOVS("rep movsb")
    MOVS("rep movsw")
    MOVS("rep movsl")
    MOVS("rep movsq")
    MOVS("repne movsb") // a rep as well
    uint64_t cx = 0x100000000; // with the address-size prefix only ecx counts, and it is zero
    uint8_t *si = buffer, *di = buffer + 8;
    __asm__ volatile("addr32 rep movsb" : "+S"(si), "+D"(di), "+c"(cx)::"memory");
    printf("%d %d %lx\n", si == buffer, di == buffer + 8, cx);
    return 0;
}

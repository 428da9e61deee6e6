// Code at unusual addresses: the lowest, just above 4 GiB, in the middle of nowhere; each with RIP-relative data beside and far calls out.
#include "a_guest.h"

static long twice(long x)
{
    return 2 * x;
}

int main(void)
{
    static const uintptr_t places[] = {0x10000, 0x100000000, 0x7f0000000, 0x123456789000, 0x400000000000, 0x5000deadb000};
    static const uint8_t code[] = {0x48, 0x8b, 0x3d, 0x39, 0, 0, 0,  // 0x00 mov 0x40, %rdi
                                   0x48, 0x01, 0x3d, 0x3a, 0, 0, 0,  // 0x07 add %rdi, 0x48
                                   0x48, 0x8b, 0x3d, 0x33, 0, 0, 0,  // 0x0e mov 0x48, %rdi
                                   0xff, 0x25, 0x35, 0, 0, 0};       // 0x15 jmp *0x50
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint8_t *m = mmap((void *)places[i], 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        printf("%#lx: %d", places[i], m == (uint8_t *)places[i]);
        if (m == MAP_FAILED)
            continue;
        // code and data on different pages as well
        uint8_t *at = i & 1 ? m : m + PAGE - 0x40;
        uint64_t data[3] = {5 + i, 0, (uintptr_t)twice};
        memcpy(at, code, sizeof code);
        memcpy(at + 0x40, data, sizeof data);
        for (int k = 0; k < 3; k++)
            printf(" %ld", ((long (*)(void))(uintptr_t)at)());
        printf("\n");
    }
    return 0;
}

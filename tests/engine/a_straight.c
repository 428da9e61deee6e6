// Ten thousand instructions without a branch, and a thousand conditional branches in a row, taken and not.
#include "a_guest.h"

int main(void)
{
    uint8_t *m = arena_map(0, 16, PROT_READ | PROT_WRITE | PROT_EXEC), *p = m, *branches;
    for (int i = 0; i < 10000; i++) // imul $3, %eax, %eax and add $i, %al
        if (i & 1)
            *p++ = 0x6b, *p++ = 0xc0, *p++ = 3;
        else
            *p++ = 0x04, *p++ = (uint8_t)i;
    *p++ = 0xc3;
    branches = p = (uint8_t *)(((uintptr_t)p + 63) & -64ul);
    for (int i = 0; i < 1000; i++) { // test $bit, %al; jz or jnz over; inc %eax; rol %eax
        *p++ = 0xa8, *p++ = (uint8_t)(1 << i % 8);
        *p++ = i & 8 ? 0x75 : 0x74, *p++ = 2;
        *p++ = 0xff, *p++ = 0xc0;
        *p++ = 0xd1, *p++ = 0xc0;
    }
    *p++ = 0xc3;
    CHECK(p < m + 16 * PAGE);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t a = i, b = i * 0x01010101;
        __asm__ volatile("call *%1" : "+a"(a) : "r"(m) : "cc", "memory");
        __asm__ volatile("call *%1" : "+a"(b) : "r"(branches) : "cc", "memory");
        if (i % 20 == 0)
            printf("%08x %08x\n", a, b);
    }
    return 0;
}

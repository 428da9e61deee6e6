// More code than a small cache holds: twenty thousand generated functions that call each other, run several times.
// test: timeout=120
#include "a_guest.h"

enum { FUNCTIONS = 20000, BYTES = 32 };

int main(void)
{
    uint8_t *m = arena_map(0, FUNCTIONS * BYTES / PAGE + 1, PROT_READ | PROT_WRITE);
    for (int i = 0; i < FUNCTIONS; i++) {
        // add $i, %eax; test $1 << i % 8, %al; jz +0; [call a function below;] ret
        uint8_t *p = m + i * BYTES;
        *p++ = 0x05, memcpy(p, &i, 4), p += 4;
        *p++ = 0xa8, *p++ = (uint8_t)(1 << i % 8), *p++ = 0x74, *p++ = 5;
        int32_t distance = (int32_t)(m + i / 2 * BYTES - (p + 5));
        if (i)
            *p++ = 0xe8, memcpy(p, &distance, 4), p += 4;
        else
            memset(p, 0x90, 5), p += 5;
        *p++ = 0xc3;
    }
    CHECK(mprotect(m, FUNCTIONS * BYTES, PROT_READ | PROT_EXEC) == 0);
    for (int round = 0; round < 3; round++) {
        unsigned sum = 0;
        for (int i = 0; i < FUNCTIONS; i++) {
            uint32_t a = sum;
            __asm__ volatile("call *%1" : "+a"(a) : "r"(m + (i * 7919l) % FUNCTIONS * BYTES) : "memory", "cc");
            sum = a * 31 + 1;
        }
        printf("%08x\n", sum);
    }
    return 0;
}

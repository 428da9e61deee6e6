// Code that changes itself in its middle, each time it runs: what is stored runs at once, in the same run.
#include "a_guest.h"

// mov %edi, 3(%rip) (the constant below); nop; nop; mov $0, %eax; ret
static const uint8_t constant[] = {0x89, 0x3d, 3, 0, 0, 0, 0x90, 0x90, 0xb8, 0, 0, 0, 0, 0xc3};
// movw %di, 1(%rip) (two bytes below); nop; inc %eax, or others; ret
static const uint8_t instruction[] = {0xb8, 5, 0, 0, 0, 0x66, 0x89, 0x3d, 1, 0, 0, 0, 0x90, 0xff, 0xc0, 0xc3};

typedef int fn(int);

int main(void)
{
    uint8_t *m = arena_map(0, 2, PROT_READ | PROT_WRITE | PROT_EXEC);
    static const int other[] = {0xc0ff, 0xc8ff, 0xc001, 0xc031}; // inc, dec, add %eax and xor %eax with itself
    static const int gives[] = {6, 4, 10, 0};
    unsigned sum = 0;
    for (int at = PAGE - 16; at < PAGE + 4; at++) { // also across the pages
        memcpy(m + at, constant, sizeof constant);
        for (int i = 0; i < 120; i++) {
            int r = ((fn *)(uintptr_t)(m + at))(i * 77);
            CHECK(r == i * 77);
            sum = sum * 31 + (unsigned)r;
        }
        memcpy(m + at, instruction, sizeof instruction);
        for (int i = 0; i < 120; i++) {
            int r = ((fn *)(uintptr_t)(m + at))(other[i * i % 7 % 4]);
            CHECK(r == gives[i * i % 7 % 4]);
            sum = sum * 31 + (unsigned)r;
        }
    }
    printf("%x\n", sum);
    return 0;
}

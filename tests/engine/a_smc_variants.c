// Code that changes back and forth: functions of two lengths at one address, as many as are kept and more, by turns and at random.
#include "a_guest.h"

static unsigned seed = 1;

static unsigned any(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % n;
}

// xor of some instructions: mov $1, %eax; (lea k(%rax), %eax) or (add %eax, %eax; nop); ret
static int write_function(uint8_t *at, int which)
{
    uint8_t code[] = {0xb8, 1, 0, 0, 0, 0x8d, 0x40, (uint8_t)which, 0xc3};
    if (which % 3 == 2)
        memcpy(code + 5, (uint8_t[]){0x01, 0xc0, 0x90}, 3);
    if (which % 3 == 1)
        code[5] = 0xc3; // a shorter one
    memcpy(at, code, sizeof code);
    return which % 3 == 2 ? 2 : which % 3 == 1 ? 1 : 1 + which;
}

int main(void)
{
    uint8_t *m = arena_map(0, 2, PROT_READ | PROT_WRITE | PROT_EXEC);
    static const unsigned many[] = {2, 3, 8, 9, 30, 90};
    unsigned sum = 0;
    for (unsigned k = 0; k < sizeof many / sizeof *many; k++) {
        uint8_t *at = m + PAGE - 4 - k * 700 % 3000; // the first lies across the pages
        for (unsigned i = 0; i < 1500; i++) {
            int want = write_function(at, (int)(i < 700 ? i % many[k] : any(many[k])));
            for (unsigned n = any(3); n; n--)
                CHECK(code_call(at) == want);
            sum = sum * 31 + (unsigned)want;
        }
    }
    printf("%x\n", sum);
    return 0;
}

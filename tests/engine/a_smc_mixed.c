// A page that has both code and often written data, and a write that begins on the page before the code.
#include "a_guest.h"

int main(void)
{
    // incl counter(%rip); mov counter(%rip), %eax; ret, with the counter on the same page
    static const uint8_t count_code[] = {0xff, 0x05, 0xfa, 0x01, 0, 0, 0x8b, 0x05, 0xf4, 0x01, 0, 0, 0xc3};
    uint8_t *m = arena_map(0, 2, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy(m, count_code, sizeof count_code);
    int last = 0;
    for (int i = 1; i <= 5000; i++) {
        last = code_call(m);
        CHECK(last == i);
        *(volatile int *)(m + 0x800) = i;
    }
    printf("%d\n", last);
    for (int i = 0; i < 200; i++) {
        uint64_t both[2] = {0, 0};
        code_return((uint8_t *)both + 8, i);
        __asm__ volatile("movups %0, %%xmm0; movups %%xmm0, (%1)" ::"m"(both), "r"(m + PAGE - 8) : "xmm0", "memory");
        CHECK(code_call(m + PAGE) == i);
        memcpy(m + PAGE - 8, both, 8); // not the code
        *(uint64_t *)(m + PAGE - 3) = *(uint64_t *)(m + PAGE - 3) + ((uint64_t)1 << 32); // the immediate's first byte
        CHECK(code_call(m + PAGE) == ((i & ~0xff) | ((i + 1) & 0xff)) || (i & 0xff) == 0xff);
    }
    printf("%d\n", code_call(m + PAGE));
    return 0;
}

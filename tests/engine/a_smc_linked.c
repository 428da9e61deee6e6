// Code that is reached by direct jumps and calls from unchanged code on other pages: the links must go when it changes.
#include "a_guest.h"

int main(void)
{
    uint8_t *callers = arena_map(0, 1, PROT_READ | PROT_WRITE), *target = arena_map(0x10000, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (int i = 0; i < 20; i++) {
        uint8_t *at = callers + i * 16;
        int32_t distance = (int32_t)(target + i % 4 * 64 - (at + 5));
        *at = i & 1 ? 0xe9 : 0xe8; // jmp or call
        memcpy(at + 1, &distance, 4);
        at[5] = 0xc3;
    }
    CHECK(mprotect(callers, PAGE, PROT_READ | PROT_EXEC) == 0);
    unsigned sum = 0;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 4; i++)
            code_return(target + i * 64, round * 4 + i);
        for (int i = 0; i < 20; i++) {
            int r = ((int_fn *)(uintptr_t)(callers + i * 16))();
            CHECK(r == round * 4 + i % 4);
            sum = sum * 31 + (unsigned)r;
        }
    }
    printf("%x\n", sum);
    return 0;
}

// Instructions that lie across a page boundary, at every offset, with the pages side by side and of different protections.
#include "a_guest.h"

int main(void)
{
    // movabs $value, %rax (10 bytes); lea 1(%rax), %rax (4 bytes); ret
    static const uint8_t code[] = {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0x48, 0x8d, 0x40, 0x01, 0xc3};
    uint8_t *m = arena_map(0, 2, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (size_t at = PAGE - sizeof code; at <= PAGE; at++) {
        memset(m, 0xcc, 2 * PAGE);
        memcpy(m + at, code, sizeof code);
        m[at + 2] = (uint8_t)at;
        long r = ((long (*)(void))(uintptr_t)(m + at))();
        printf("%lx ", r);
    }
    printf("\n");
    memcpy(m + PAGE - 5, code, sizeof code);
    CHECK(mprotect(m, PAGE, PROT_READ | PROT_EXEC) == 0);
    for (int i = 0; i < 5; i++) {
        m[PAGE] = (uint8_t)i; // a byte of the immediate, on the second page
        printf("%lx ", ((long (*)(void))(uintptr_t)(m + PAGE - 5))());
    }
    printf("\n");
    return 0;
}

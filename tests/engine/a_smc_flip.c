// Code generated in a writable page that then becomes executable, and back, as careful JIT compilers do.
#include "a_guest.h"

int main(void)
{
    uint8_t *m = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(m != MAP_FAILED);
    unsigned sum = 0;
    for (int i = 0; i < 300; i++) {
        int page = i % 4;
        CHECK(mprotect(m + page * PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
        for (int k = 0; k < 10; k++)
            code_return(m + page * PAGE + k * 16, i * 10 + k);
        CHECK(mprotect(m + page * PAGE, PAGE, PROT_READ | PROT_EXEC) == 0);
        for (int p = 0; p < 4 && p <= i; p++)
            for (int k = 0; k < 10; k++)
                sum = sum * 31 + (unsigned)code_call(m + p * PAGE + k * 16);
    }
    printf("%x\n", sum);
    return 0;
}

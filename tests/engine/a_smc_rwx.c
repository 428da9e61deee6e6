// Code in a writable and executable page, written anew a thousand times at the same place.
#include "a_guest.h"

int main(void)
{
    uint8_t *m = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(m != MAP_FAILED);
    unsigned sum = 0;
    for (int i = 0; i < 1000; i++) {
        code_return(m + i % 7, i);
        int r = code_call(m + i % 7);
        CHECK(r == i);
        sum = sum * 31 + (unsigned)r;
    }
    printf("%x\n", sum);
    return 0;
}

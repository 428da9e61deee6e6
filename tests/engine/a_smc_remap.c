// Code unmapped and other code mapped at the same address; MAP_FIXED over code; mremap of a code page away and back.
#include "a_guest.h"
#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)

int main(void)
{
    for (int i = 0; i < 50; i++) {
        uint8_t *m = arena_map(0, 1, RWX);
        code_return(m + 64, i);
        CHECK(code_call(m + 64) == i);
        CHECK(munmap(m, PAGE) == 0);
    }
    puts("unmapped and mapped");
    for (int i = 0; i < 50; i++) {
        uint8_t *m = arena_map(0, 1, RWX); // over the last one
        CHECK(m[64] == 0);
        code_return(m + 64, i);
        CHECK(code_call(m + 64) == i);
    }
    puts("mapped over");
    uint8_t *a = arena_map(0, 1, RWX), *b = arena_map(0x10000, 1, RWX);
    code_return(a, 100), code_return(b, 200);
    for (int i = 0; i < 20; i++) {
        CHECK(code_call(a) == 100 && code_call(b) == 200);
        uint8_t *far = ARENA + 0x20000;
        CHECK(mremap(a, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, far) == far);
        CHECK(mremap(b, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a) == a);
        CHECK(code_call(a) == 200 && code_call(far) == 100);
        CHECK(mremap(a, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, b) == b);
        CHECK(mremap(far, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a) == a);
    }
    printf("moved %d %d\n", code_call(a), code_call(b));
    for (int i = 0; i < 20; i++) { // written at its new place before it is run there
        CHECK(code_call(a) == 100 + i);
        uint8_t *far = ARENA + 0x20000 + (size_t)i * 0x10000;
        CHECK(mremap(a, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, far) == far);
        a = far;
        code_return(a, 101 + i);
    }
    printf("written %d\n", code_call(a));
    return 0;
}

// Indirect branches whose targets agree in their low bits, called in turn from one place.
#include "a_guest.h"

enum { TARGETS = 64 };

int main(void)
{
    uint8_t *targets[TARGETS];
    for (int i = 0; i < TARGETS; i++) {
        targets[i] = arena_map((size_t)i << 20, 1, PROT_READ | PROT_WRITE | PROT_EXEC) + 0x120;
        code_return(targets[i], i * i);
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 200000; i++) {
        unsigned which = i % 1000 < 500 ? i % 2 : (i * 2654435761u >> 16) % TARGETS;
        int r = code_call(targets[which]);
        CHECK(r == (int)(which * which));
        sum = sum * 31 + (unsigned)r;
    }
    printf("%08x\n", sum);
    return 0;
}

// Functions that are made anew again and again, each on its page; with an argument: so many rounds.
#include "a_guest.h"

#define FUNCTIONS 64
#define BODY 100

static long make_and_call(unsigned char *p, int value)
{
    unsigned char *at = p;
    *at++ = 0xb8; /* mov $value, %eax */
    memcpy(at, &value, sizeof value);
    at += sizeof value;
    for (int i = 0; i < BODY; i++, at += 3)
        memcpy(at, "\x48\xff\xc0", 3); /* inc %rax */
    *at = 0xc3;
    return ((long (*)(void))(uintptr_t)p)();
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    long total = 0;
    for (int r = 0; r < rounds; r++) {
        unsigned char *pages = mmap(NULL, FUNCTIONS * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(pages != MAP_FAILED);
        for (int f = 0; f < FUNCTIONS; f++)
            total += make_and_call(pages + f * PAGE, r * FUNCTIONS + f);
        CHECK(munmap(pages, FUNCTIONS * PAGE) == 0);
    }
    printf("%ld\n", total);
    return 0;
}

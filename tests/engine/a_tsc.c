// rdtsc and rdtscp go forward, zero-extend their registers and change nothing else; rdrand and rdpid do not fault.
#include "a_guest.h"

int main(void)
{
    uint64_t last = 0;
    for (int i = 0; i < 10000; i++) {
        uint64_t a = ~0ul, d = ~0ul, c = 0x77, fl;
        if (i & 1)
            __asm__ volatile("stc; rdtsc; pushfq; pop %3" : "=a"(a), "=d"(d), "+c"(c), "=r"(fl));
        else
            __asm__ volatile("stc; rdtscp; pushfq; pop %3" : "=a"(a), "=d"(d), "+c"(c), "=r"(fl));
        CHECK(a >> 32 == 0 && d >> 32 == 0 && c >> 32 == 0 && (fl & 1));
        CHECK(!(i & 1) || c == 0x77);
        uint64_t now = d << 32 | a;
        CHECK(now > last);
        last = now;
    }
    puts("forward");
    uint64_t r = 0, ok;
    __asm__ volatile("1: rdrand %0; jnc 1b; setc %b1" : "=r"(r), "=q"(ok));
    uint8_t got = (uint8_t)ok;
    printf("rdrand %d %d\n", got, r != 0);
    return 0;
}

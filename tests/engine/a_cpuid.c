// cpuid and xgetbv give what they give natively; all four result registers zero-extend.
// test: cc=-mxsave
#include "a_guest.h"

int main(void)
{
    uint64_t prints[8] = {0};
    for (uint32_t leaf = 0; leaf < 8; leaf++) {
        uint64_t a = 0xdead00000000 | leaf, b = ~0ul, c = 0xdead00000000, d = ~0ul;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        CHECK((a | b | c | d) >> 32 == 0);
        if (leaf == 1)
            b &= 0xffff, c &= ~(1u << 27); // the APIC id is the processor's
        if (leaf == 0 || leaf == 1 || leaf == 7)
            printf("%u: %lx %lx %lx %lx\n", leaf, a, b, c, d);
        prints[leaf] = a + b + c + d;
    }
    CHECK(prints[0]);
    char brand[49] = "";
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t a = 0x80000002 + i, c = 0;
        __asm__ volatile("cpuid; mov %%eax, (%%rsi); mov %%ebx, 4(%%rsi); mov %%ecx, 8(%%rsi); mov %%edx, 12(%%rsi)"
                         : "+a"(a), "+c"(c)
                         : "S"(brand + 16 * i)
                         : "rbx", "rdx", "memory");
    }
    printf("%s\n", brand);
    uint64_t lo, hi, c = 0xabcd00000000;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(c));
    printf("xcr0 %lx %lx\n", hi, lo);
    return 0;
}

// Components of the extended state in use and in their initial state, in all combinations: each is after a while what it was.
#include "a_guest.h"
#include <cpuid.h>
#include <stdint.h>
#include <string.h>

enum { X87 = 1, SSE = 2, AVX = 4, OPMASK = 0x20, HI256 = 0x40, HI16 = 0x80 };
static const uint32_t component[] = { X87, SSE, AVX, OPMASK, HI256, HI16 };
#define COMPONENTS (sizeof component / sizeof component[0])
#define MXCSR 24
static uint8_t in[16384] __attribute__((aligned(64))), out[sizeof in] __attribute__((aligned(64)));
static uint32_t offset[64], size[64];

// Loads the image, executes a loop of other instructions, and stores it.
static void pass(uint32_t mask)
{
    const uint32_t mxcsr = 0x1f80;
    __asm__ volatile("xrstor64 (%0)\n\t"
                     "mov $40, %%ecx\n"
                     "1: add $3, %%rsi\n\t"
                     "imul $7, %%rsi, %%rsi\n\t"
                     "dec %%ecx\n\t"
                     "jnz 1b\n\t"
                     "xsave64 (%1)\n\t"
                     "fninit\n\t"
                     "ldmxcsr %2\n\t"
                     : : "r"(in), "r"(out), "m"(mxcsr), "a"(mask), "d"(0)
                     : "rcx", "rsi", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                       "xmm14", "xmm15");
    if (mask & AVX)
        __asm__ volatile("vzeroupper");
}

static void fill(uint32_t used)
{
    static const uint16_t fcw = 0x27f;
    static const uint32_t mxcsr = 0x1fa0;
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 37 + i / 256 + 1);
    memset(in, 0, 32);
    memcpy(in, &fcw, 2);
    in[4] = 0xff; // all eight registers hold something
    memcpy(in + MXCSR, &mxcsr, 4);
    memset(in + 464, 0, 112);
    in[512] = (uint8_t)used;
}

// What the component has to be, at these bytes of the image.
static int is_right(uint32_t bit, uint32_t used, uint32_t at, uint32_t bytes)
{
    static const uint8_t zero[2048];
    return !memcmp(out + at, used & bit ? in + at : zero, bytes);
}

static int x87_is_right(uint32_t used)
{
    uint16_t fcw;
    memcpy(&fcw, out, 2);
    int right = fcw == (used & X87 ? 0x27f : 0x37f) && out[4] == (used & X87 ? 0xff : 0);
    for (uint32_t i = 0; i < 8; i++)
        right &= is_right(X87, used, 32 + i * 16, 10);
    return right;
}

static void try(uint32_t mask, uint32_t used)
{
    fill(used);
    memset(out, 0x5a, sizeof out);
    memset(out + 512, 0, 64);
    pass(mask);
    CHECK(x87_is_right(used));
    CHECK(is_right(SSE, used, 160, 256));
    CHECK(!memcmp(in + MXCSR, out + MXCSR, 4));
    for (uint32_t n = 2; n < 8; n++)
        if (mask >> n & 1)
            CHECK(is_right(1u << n, used, offset[n], size[n]));
}

int main(void)
{
    uint32_t a, b, c, d, lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    uint32_t mask = lo & (X87 | SSE | AVX | OPMASK | HI256 | HI16);
    for (uint32_t n = 2; n < 8; n++)
        if (__get_cpuid_count(0xd, n, &a, &b, &c, &d)) {
            size[n] = a;
            offset[n] = b;
        }
    for (uint32_t i = 0; i < 1u << COMPONENTS; i++) {
        uint32_t used = 0;
        for (uint32_t k = 0; k < COMPONENTS; k++)
            used |= i >> k & 1 ? component[k] : 0;
        if (!(used & ~mask))
            try(mask, used);
    }
    return 0;
}

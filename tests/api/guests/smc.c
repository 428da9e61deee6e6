// SPDX-License-Identifier: Apache-2.0
// One function after the other at one place: longer, shorter, and the same again, which is no change.
// modes: plain nolink far slow
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

typedef uint32_t function(void);

static int run(uint8_t *at, uint32_t result, size_t nops)
{
    memset(at, 0x90, nops);
    at[nops] = 0xb8; /* mov $result,%eax; ret */
    memcpy(at + nops + 1, &result, 4);
    at[nops + 5] = 0xc3;
    return ((function *)at)() == result;
}

int main(void)
{
    static const struct { uint32_t result, nops; } each[] = {{1, 0}, {2, 5}, {3, 0}, {3, 0}, {4, 17}, {4, 17}, {5, 2}};
    uint8_t *at = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        if (at == MAP_FAILED || !run(at + 64, each[i].result, each[i].nops))
            return 1;
    return 0;
}
//> smc
//= changed: 0x10000040, 6 bytes
//= changed: 0x10000040, 11 bytes
//= changed: 0x10000040, 6 bytes
//= changed: 0x10000040, 23 bytes

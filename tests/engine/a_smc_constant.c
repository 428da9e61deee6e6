// Constants in instructions that are new each time: of 4 and 8 bytes at every alignment and across the pages, one to four of them, with alignment checks on, and with other bytes changing now and then.
#include "a_guest.h"

#define RUNS 200

static uint8_t *put_mov(uint8_t *p, int reg, uint64_t value, int wide)
{
    *p++ = (uint8_t)((wide ? 0x48 : 0x40) | reg >> 3);
    *p++ = (uint8_t)(0xb8 | (reg & 7));
    memcpy(p, &value, wide ? 8 : 4);
    return p + (wide ? 8 : 4);
}

// Moves to rax, rcx, rdx, r8, as many as there are values, which are then added in rax; the other way round: taken from it.
static void put(uint8_t *p, const uint64_t *value, int n, int wide, int minus)
{
    static const int reg[] = {0, 1, 2, 8};
    for (int i = 0; i < n; i++)
        p = put_mov(p, reg[i], value[i], wide);
    for (int i = 1; i < n; i++) {
        *p++ = (uint8_t)(0x48 | (reg[i] >> 3) << 2);
        *p++ = minus ? 0x29 : 0x01; // sub or add %reg, %rax
        *p++ = (uint8_t)(0xc0 | (reg[i] & 7) << 3);
    }
    *p = 0xc3;
}

static uint64_t call(const uint8_t *at, int aligned)
{
    uint64_t (*fn)(void) = (uint64_t (*)(void))(uintptr_t)at, r;
    if (!aligned)
        return fn();
    __asm__ volatile("sub $128, %%rsp; pushfq; orl $0x40000, (%%rsp); popfq; call *%1; pushfq; andl $~0x40000, (%%rsp); popfq; add $128, %%rsp" : "=a"(r) : "r"(fn) : "rcx", "rdx", "r8", "memory", "cc");
    return r;
}

static uint64_t count(uint8_t *at, int n, int wide)
{
    uint64_t sum = 0, value[4];
    for (int i = 0; i < RUNS; i++) {
        int minus = i > 150 && i % 7 == 0;
        uint64_t want = 0;
        for (int k = 0; k < n; k++) {
            value[k] = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15ul << k * 5;
            value[k] = wide ? value[k] : (uint32_t)value[k];
            want = minus && k ? want - value[k] : want + value[k];
        }
        put(at, value, n, wide, minus);
        CHECK(call(at, i % 2) == want);
        sum = sum * 31 + want;
    }
    return sum;
}

int main(void)
{
    uint8_t *m = arena_map(0, 3, PROT_READ | PROT_WRITE | PROT_EXEC);
    uint64_t sum = 0;
    for (int off = 0; off < 16; off++)
        for (int n = 1; n <= 4; n++)
            sum = sum * 31 + count(m + (n == 1 ? PAGE - 16 : PAGE + off * 64) + off, n, off % 3 == 0);
    printf("%lx\n", sum);
    return 0;
}

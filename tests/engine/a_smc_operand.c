// Constants that are new each time in arithmetic of all kinds, moves, pushes, jumps and calls, of 1 and 4 bytes, with their sign, at every alignment; now and then another instruction is there.
#include "a_guest.h"

#define RUNS 64 // after 32 changes of its page the engine compares code, after 8 more it reads the constant from it

static uint64_t call(const uint8_t *at) { return ((uint64_t (*)(void))(uintptr_t)at)(); }

static uint8_t *put(uint8_t *p, const void *bytes, size_t n) { return (uint8_t *)memcpy(p, bytes, n) + n; }
#define PUT(p, ...) put(p, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

// mov $first, %reg; op $value, %reg; then register and flags (but AF, which logic leaves undefined) in rax
static void put_arithmetic(uint8_t *p, int reg, int wide, int bytes, int op, int32_t value)
{
    static const uint64_t first = 0x0123456789abcdef;
    uint8_t rex = (uint8_t)(0x40 | wide << 3 | reg >> 3);
    p = PUT(p, (uint8_t)(0x48 | reg >> 3), (uint8_t)(0xb8 | (reg & 7)));
    p = put(p, &first, 8);
    if (op == 8) // test
        p = PUT(p, rex, 0xf7, (uint8_t)(0xc0 | (reg & 7)));
    else if (op == 9) // mov
        p = PUT(p, rex, 0xc7, (uint8_t)(0xc0 | (reg & 7)));
    else if (reg == 0 && bytes == 4)
        p = PUT(p, rex, (uint8_t)(op << 3 | 5));
    else
        p = PUT(p, rex, bytes == 1 ? 0x83 : 0x81, (uint8_t)(0xc0 | op << 3 | (reg & 7)));
    p = put(p, &value, (size_t)(op >= 8 ? 4 : bytes));
    p = PUT(p, 0x9c, 0x5a, 0x81, 0xe2, 0xc5, 0x08, 0, 0);                              // pushf; pop %rdx; and $0x8c5, %edx
    p = PUT(p, (uint8_t)(0x48 | (reg >> 3) << 2), 0x89, (uint8_t)(0xc0 | (reg & 7) << 3)); // mov %reg, %rax
    PUT(p, 0x48, 0x8d, 0x04, 0x42, 0xc3);                                              // lea (%rdx,%rax,2), %rax; ret
}

static uint64_t arithmetic(uint8_t *at, int reg, int wide, int bytes, int op)
{
    uint64_t sum = 0;
    for (int i = 0; i < RUNS; i++) {
        int32_t value = (int32_t)((uint32_t)(i + 1) * 0x9e3779b1u);
        put_arithmetic(at, reg, wide, bytes, i % 29 == 28 ? (op + 1) % 8 : op, bytes == 1 ? value >> 24 : value);
        sum = sum * 31 + call(at);
    }
    return sum;
}

// push $value; pop %rax; ret
static uint64_t pushes(uint8_t *at)
{
    uint64_t sum = 0;
    for (int i = 0; i < RUNS; i++) {
        int32_t value = (int32_t)((uint32_t)(i + 1) * 0x9e3779b1u);
        PUT(put(PUT(at, 0x68), &value, 4), 0x58, 0xc3);
        CHECK(call(at) == (uint64_t)(int64_t)value);
        sum = sum * 31 + call(at);
    }
    return sum;
}

// A jump, or a call and a return, to one of many functions around it; rcx and rax are used on the way.
static uint64_t branches(uint8_t *at, uint8_t op, int distance)
{
    uint64_t sum = 0;
    for (int i = 0; i < RUNS; i++) {
        int k = i * 7 % 40 - 20;
        uint8_t *to = at + k * distance + (k >= 0 ? 32 : 0), *p = PUT(at, 0xb9, 3, 0, 0, 0, 0xb8, 5, 0, 0, 0, op);
        int32_t rel = (int32_t)(to - (p + (op == 0xeb ? 1 : 4)));
        p = put(p, &rel, op == 0xeb ? 1 : 4);
        PUT(p, 0x48, 0xff, 0xc0, 0xc3);                                       // inc %rax; ret
        PUT(to, 0x48, 0x8d, 0x84, 0x48, (uint8_t)i, (uint8_t)k, 0, 0, 0xc3); // lea n(%rax,%rcx,2), %rax; ret
        CHECK(call(at) == 11ul + (uint8_t)i + ((uint64_t)(uint8_t)k << 8) + (op == 0xe8));
        sum = sum * 31 + call(at);
    }
    return sum;
}

int main(void)
{
    uint8_t *m = arena_map(0, 4, PROT_READ | PROT_WRITE | PROT_EXEC);
    uint64_t sum = 0;
    for (int op = 0; op < 10; op++)
        for (int k = 0; k < 8; k++)
            sum = sum * 31 + arithmetic(m + (op * 8 + k) * 48 + k, k < 4 ? 0 : k < 6 ? 3 : 9, k & 1, k & 2 ? 1 : 4, op);
    for (int k = 0; k < 8; k++)
        sum = sum * 31 + pushes(m + 4000 + k * 16 + k);
    for (int k = 0; k < 4; k++) {
        sum = sum * 31 + branches(m + 2 * PAGE + k, 0xe9, 64);
        sum = sum * 31 + branches(m + 2 * PAGE + 8 + k, 0xe8, 64);
    }
    printf("%lx\n", sum);
    return 0;
}

// Switch tables and computed gotos: a small interpreter with both kinds of dispatch.
// test[switch]: cc=-O2
// test[plain]: cc=-O0
#include "a_guest.h"

enum { ADD, SUB, MUL, XOR, JNZ, DEC, SWAP, HALT };

static uint64_t by_switch(const uint8_t *code, uint64_t n)
{
    uint64_t a = 1, b = 3;
    for (const uint8_t *p = code;;)
        switch (*p++) {
        case ADD: a += b; break;
        case SUB: b -= a; break;
        case MUL: a *= 6364136223846793005u; break;
        case XOR: a ^= b >> 7; break;
        case DEC: n--; break;
        case SWAP: a = a << 13 | a >> 51; break;
        case JNZ: p = n ? code : p; break;
        case HALT: return a ^ b;
        }
}

static uint64_t by_goto(const uint8_t *code, uint64_t n)
{
    static const void *const labels[] = {&&add, &&sub, &&mul, &&xor, &&jnz, &&dec, &&swap, &&halt};
    uint64_t a = 1, b = 3;
    const uint8_t *p = code;
    goto *labels[*p++];
add: a += b; goto *labels[*p++];
sub: b -= a; goto *labels[*p++];
mul: a *= 6364136223846793005u; goto *labels[*p++];
xor: a ^= b >> 7; goto *labels[*p++];
jnz: p = n ? code : p; goto *labels[*p++];
dec: n--; goto *labels[*p++];
swap: a = a << 13 | a >> 51; goto *labels[*p++];
halt: return a ^ b;
}

int main(void)
{
    static const uint8_t code[] = {ADD, MUL, SUB, XOR, SWAP, ADD, XOR, DEC, JNZ, HALT};
    uint64_t x = by_switch(code, 100000), y = by_goto(code, 100000);
    printf("%016lx %016lx\n", x, y);
    CHECK(x == y);
    return 0;
}

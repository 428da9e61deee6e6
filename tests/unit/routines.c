/* SPDX-License-Identifier: Apache-2.0
 * Functions as analysis routines are, of many shapes, for test_rop.c, which lifts and interprets them: built once for
 * each level of optimisation, which gives ROUTINES another name. They use only the memory of routine_memory, by
 * indexes that stay in it, and general registers. The last argument is less than 128. */
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t s64;
typedef int32_t s32;
typedef int16_t s16;
typedef int8_t s8;

extern u64 routine_memory[256];
#define WORDS routine_memory
#define HALVES ((u32 *)routine_memory)
#define BYTES ((u8 *)routine_memory)
#define ARGS u64 a, u64 b, u64 c, u64 d, u64 e, u64 f

static u64 count(ARGS)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    return ++WORDS[3];
}
static u64 add_constant(ARGS)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    WORDS[5] += 1000;
    return 0;
}
static u64 add_all(ARGS) { return a + b * 3 + c * 5 - d + e * 100 - (f << 4); }
static u64 add_to(ARGS)
{
    WORDS[a & 255] += b;
    HALVES[c & 511] -= (u32)d;
    BYTES[e & 2047] ^= (u8)f;
    return 0;
}
static u64 locked(ARGS)
{
    __atomic_fetch_add(&WORDS[a & 255], b, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&HALVES[c & 511], (u32)d, __ATOMIC_RELAXED);
    return e + f;
}
static u64 compare(ARGS)
{
    return (a < b) + 2 * ((s64)c > (s64)d) + 4 * (e == f) + 8 * ((u32)a >= (u32)b) + 16 * ((s32)c <= (s32)d) +
           32 * ((u8)e > (u8)f);
}
static u64 smallest(ARGS)
{
    u64 m = a;
    m = b < m ? b : m;
    m = c < m ? c : m;
    m = (s64)d < (s64)m ? d : m;
    return (e & 1) ? m : f;
}
static u64 branches(ARGS)
{
    if (a & 1)
        WORDS[b & 255] = c;
    else if ((s64)b < 0)
        WORDS[c & 255]++;
    if (d > e)
        return WORDS[f & 255];
    return (a ^ b) > 1000 ? 1 : 2;
}
static u64 loop(ARGS)
{
    u64 sum = 0;
    for (u64 i = 0; i < (a & 31); i++)
        sum += WORDS[(b + i * 7) & 255] ^ c;
    for (u32 n = (u32)d & 15; n; n >>= 1)
        sum = sum * 3 + n;
    return sum + e + f;
}
static u64 narrow(ARGS)
{
    s8 x = (s8)a;
    s16 y = (s16)b;
    s32 z = (s32)c;
    u8 u = (u8)d;
    u16 v = (u16)e;
    return (u64)(s64)x + (u64)(s64)y * 2 + (u64)(s64)z * 4 + u * 8u + v * 16u + f;
}
static u64 extend_memory(ARGS)
{
    return (u64)(s64)((s8 *)BYTES)[a & 2047] + ((u16 *)BYTES)[b & 1023] + (u64)(s64)((s32 *)HALVES)[c & 511] +
           BYTES[d & 2047] + e + f;
}
static u64 store_narrow(ARGS)
{
    BYTES[a & 2047] = (u8)b;
    ((u16 *)BYTES)[c & 1023] = (u16)d;
    HALVES[e & 511] = (u32)f;
    return a;
}
static u64 shifts(ARGS)
{
    return (a << (b & 63)) + (c >> (d & 63)) + (u64)((s64)e >> (f & 63)) + ((u32)a << 5) + ((u32)b >> 7) +
           (u64)((s32)c >> 3) + (u64)((s64)d >> 9);
}
static u64 shift_memory(ARGS)
{
    WORDS[a & 255] <<= b & 63;
    HALVES[c & 511] >>= 3;
    return d ^ e ^ f;
}
static u64 logic(ARGS) { return ((a & b) | (c ^ d)) & ~(e & 0xff00ff00ff) ^ -f; }
static u64 logic_memory(ARGS)
{
    WORDS[a & 255] |= b;
    WORDS[c & 255] &= ~d;
    HALVES[e & 511] = ~HALVES[e & 511];
    WORDS[f & 255] = -WORDS[f & 255];
    return 0;
}
static u64 multiply(ARGS) { return a * b + (u64)((s64)(s32)c * (s32)d) + (u32)e * (u32)f + a * 1000003; }
static u64 wide_constant(ARGS)
{
    WORDS[a & 255] = 0x123456789abcdef0;
    WORDS[b & 255] = 0xfffffffffffffff0;
    HALVES[c & 511] = 0x89abcdef;
    return d + 0x8000000000000001 + e + f;
}
static bool truth(ARGS) { return (a & 1) && ((s32)b < 17 || (u8)c == 5) && d != e && f; }
static u64 of_byte(ARGS) { return truth(a, b, c, d, e, f) ? 11 : 12; }
static u64 with_carry(ARGS)
{
    unsigned __int128 x = (unsigned __int128)a << 64 | b, y = (unsigned __int128)c << 64 | d;
    unsigned __int128 z = x + y - e - f;
    return (u64)(z >> 64) ^ (u64)z;
}
static u64 swaps(ARGS) { return __builtin_bswap64(a) + __builtin_bswap32((u32)b) + c + d + e + f; }
static u64 bits(ARGS) { return (a >> (b & 63) & 1) ? c + (d >> (e & 31) & 1) : f; }
static u64 dense(ARGS)
{
    struct {
        u64 x;
        u32 y;
        u8 z[3];
    } s = {a, (u32)b, {(u8)c, (u8)d, (u8)e}};
    volatile u64 keep = s.x + s.y;
    return keep + s.z[f % 2 ? 1 : 0];
}
__attribute__((noinline)) static u64 callee(u64 a, u64 b)
{
    WORDS[9] += a;
    return a * 2 + b;
}
static u64 calls(ARGS)
{
    u64 x = callee(a, b) + callee(c, d);
    return x + callee(e, f);
}
static u64 tail(ARGS)
{
    (void)c, (void)d, (void)e, (void)f;
    return a & 1 ? callee(b, a) : callee(a, b);
}
static u64 line(ARGS)
{
    u64 set = (a >> 6) & 63, tag = a >> 12;
    (void)c, (void)d, (void)e, (void)f;
    WORDS[64]++;
    if (WORDS[128 + set] == tag)
        return 0;
    WORDS[128 + set] = tag;
    WORDS[65] += b & 0xff;
    return 1;
}
static u64 indexed(ARGS)
{
    u64 *p = &WORDS[a & 63];
    p[f] += b;
    ((u8 *)p)[f] ^= (u8)c;
    return p[f + 2] + d + e;
}
static u64 scaled(ARGS)
{
    u64 *p = &WORDS[a & 63];
    p[f] += b;
    return p[1] + c + d + e;
}
static u64 low_half(ARGS)
{
    (void)c, (void)d, (void)e, (void)f;
    return (u32)a + b;
}
static u64 seldom(ARGS)
{
    WORDS[a & 63] += b;
    if (WORDS[64 + (c & 15)] & 3)
        return a + c;
    if (d & 2)
        return (d & 1 ? callee(e, f) : callee(b, WORDS[2])) + c;
    volatile u64 keep = c;
    return keep & 1 ? keep + e : keep * b;
}
__attribute__((noinline)) static u64 on_stack(u64 a, u64 b)
{
    volatile u64 keep = a;
    return keep * b;
}
static u64 rarely(ARGS)
{
    (void)d;
    WORDS[a & 63] += b;
    if (WORDS[64 + (c & 15)] & 3)
        return a + c;
    return on_stack(e, f);
}
static u64 pointer(ARGS)
{
    u64 *p = &WORDS[a & 127];
    u64 **q = &p;
    (*q)[b & 127] += c;
    *(u8 *)(*q + (d & 63)) += 3;
    return (u64)(*q - WORDS) + e + f;
}

/* clang-format off: a list */
u64 (*const ROUTINES[])(ARGS) = {
    rarely, count, add_constant, add_all, add_to, locked, compare, smallest, branches, loop, narrow, extend_memory,
    store_narrow, shifts, shift_memory, logic, logic_memory, multiply, wide_constant, of_byte, with_carry, swaps,
    bits, dense, calls, tail, indexed, scaled, low_half, seldom, line, pointer, (u64(*)(ARGS))truth, 0,
};
/* clang-format on */

/* SPDX-License-Identifier: Apache-2.0
 * The state that a case starts from (registers, extended state, memory), as a function of its seed only, and the extended state afterwards
 * made comparable: components in their initial state are written out, and what no two runs share (x87 instruction and data pointers) is
 * cleared. */
#include "fuzz.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_in fuzz_in;
struct run_out fuzz_out;
u8 fuzz_xin[XSAVE_BYTES] __attribute__((aligned(64)));
u8 fuzz_xout[XSAVE_BYTES] __attribute__((aligned(64)));
u32 xsave_offset[8], xsave_bytes[8];

enum { X87 = 1, SSE = 2, AVX = 4, OPMASK = 0x20, ZMM_HI = 0x40, HI16 = 0x80, XSTATE_BV = 512 };

void state_init(void)
{
    u32 a, b, c, d, lo, hi;
    if (!__get_cpuid_count(1, 0, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) {
        fprintf(stderr, "fuzz_guest: this CPU has no XSAVE\n");
        exit(77);
    }
    __asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    fuzz_in.xmask = lo & (X87 | SSE | AVX | OPMASK | ZMM_HI | HI16);
    for (u32 i = 2; i < 8; i++)
        if (fuzz_in.xmask >> i & 1) {
            __get_cpuid_count(0xd, i, &a, &b, &c, &d);
            xsave_bytes[i] = a;
            xsave_offset[i] = b;
            if (a + b > XSAVE_BYTES) {
                fprintf(stderr, "fuzz_guest: extended state ends at %u, room is for %u\n", a + b, XSAVE_BYTES);
                exit(2);
            }
        }
}

u64 random_value(struct rng *r)
{
    static const u64 special[] = {
        0, 1, ~0ul, 0x7fffffff, 0x80000000, 0xffffffff, 0x7ffffffffffffffful, 0x8000000000000000ul, 0x7f, 0x80, 0xff, 0xffff,
        0x3ff0000000000000ul, 0xbff0000000000000ul, 0x7ff0000000000000ul, 0x7ff8000000000000ul, 0x7ff0000000000001ul, 0x0010000000000000ul,
        0x0000000000000001ul, 0x3f8000003f800000ul, 0x7f800000ff800000ul, 0x7fc000007f800001ul, 0x0000000100800000ul, 0x4340000000000000ul,
        0x00ff00ff00ff00fful, 0x5555555555555555ul,
    };
    u32 k = rng_below(r, 100);
    if (k < 60)
        return rng_next(r);
    if (k < 80)
        return special[rng_below(r, ARRAY_LEN(special))];
    return rng_next(r) >> rng_below(r, 64);
}

static void put_index(u8 *p, u32 bytes, struct rng *r)
{
    for (u32 i = 0; i < bytes; i += 8) {
        u64 v = rng_below(r, 64) * 4;
        memcpy(p + i, &v, 8);
    }
}

/* Small even dwords and zero odd ones: good as 32-bit and as 64-bit indices. */
static void set_vindex(u8 *x, u32 v, struct rng *r)
{
    if (v >= 16) {
        put_index(x + xsave_offset[7] + (v - 16) * 64, 64, r);
        return;
    }
    put_index(x + 160 + v * 16, 16, r);
    if (xsave_bytes[2])
        put_index(x + xsave_offset[2] + v * 16, 16, r);
    if (xsave_bytes[6])
        put_index(x + xsave_offset[6] + v * 32, 32, r);
}

static void set_x87(u8 *x, struct rng *r)
{
    u16 fcw = (u16)(0x0040 | (rng_next(r) & 0x0f00) | (rng_percent(r, 90) ? 0x3f : rng_next(r) & 0x3f));
    u16 fsw = (u16)(rng_next(r) & 0x7f00);
    if (rng_percent(r, 5))
        fsw |= rng_next(r) & 0x3f;
    u8 ftw = rng_percent(r, 30) ? 0xff : (u8)rng_next(r);
    memcpy(x, &fcw, 2);
    memcpy(x + 2, &fsw, 2);
    x[4] = ftw;
    for (u32 i = 0; i < 8; i++) {
        u64 m = random_value(r);
        u16 e = (u16)(rng_percent(r, 70) ? 0x3ff0 + rng_below(r, 32) : rng_next(r));
        if (rng_percent(r, 80))
            m |= 1ul << 63;
        memcpy(x + 32 + i * 16, &m, 8);
        memcpy(x + 40 + i * 16, &e, 2);
    }
}

/* Upper halves of zmm registers in use, those of ymm in their initial state: an AMD CPU says now and then that the
 * latter are in use, too, and a program that the kernel interrupts then finds in them what an earlier case left. */
static u64 steady_components(u64 bv)
{
    return bv & ZMM_HI ? bv | (fuzz_in.xmask & AVX) : bv;
}

static void set_xsave(const struct gen *g, struct rng *r)
{
    u8 *x = fuzz_xin;
    u64 bv = steady_components(rng_percent(r, 85) ? fuzz_in.xmask : fuzz_in.xmask & rng_next(r));
    u32 mxcsr = (u32)((rng_next(r) & 0xe07f) | (rng_percent(r, 92) ? 0x1f80 : rng_next(r) & 0x1f80));
    memset(x, 0, XSAVE_BYTES);
    set_x87(x, r);
    memcpy(x + 24, &mxcsr, 4);
    for (u32 at = 160; at < 416; at += 8) {
        u64 v = random_value(r);
        memcpy(x + at, &v, 8);
    }
    for (u32 i = 2; i < 8; i++)
        for (u32 at = 0; at < xsave_bytes[i]; at += 8) {
            u64 v = random_value(r);
            memcpy(x + xsave_offset[i] + at, &v, 8);
        }
    set_vindex(x, g->vindex, r);
    memcpy(x + XSTATE_BV, &bv, 8);
}

void state_set(const struct gen *g, struct rng *r)
{
    memcpy(fuzz_in.gpr, g->gpr, sizeof g->gpr);
    fuzz_in.rip = g->code;
    fuzz_in.flags = (rng_next(r) & 0x8d5) | 0x202;
    if (rng_percent(r, 20))
        fuzz_in.flags |= 0x400;
    if (rng_percent(r, 10))
        fuzz_in.flags |= 0x200000;
    if (g->align && rng_percent(r, 50))
        fuzz_in.flags |= 0x40000;
    fuzz_in.fs = g->base + FS_AT;
    fuzz_in.gs = g->base + GS_AT;
    set_xsave(g, r);
    memset(&fuzz_out, 0, sizeof fuzz_out);
    memset(fuzz_xout, 0, sizeof fuzz_xout);
}

static void fill(u64 at, u32 bytes, struct rng *r)
{
    u64 *p = (u64 *)at;
    for (u32 i = 0; i < bytes / 8; i++) {
        u64 v = rng_next(r);
        p[i] = v & 7 ? v * 0x9e3779b97f4a7c15ul : random_value(r);
    }
}

void state_fill_memory(u64 base, struct rng *r)
{
    fill(base, DATA_BYTES, r);
    fill(base + STACK_AT, STACK_BYTES, r);
}

static void normalise_legacy(u8 *to, const u8 *from, u64 bv)
{
    static const u16 initial_fcw = 0x37f;
    memcpy(to, &initial_fcw, 2);
    if (bv & X87) { /* control, status, tags and registers; not last opcode, instruction and data pointers */
        memcpy(to, from, gen_strict ? 24 : 5);
        for (u32 i = 0; i < 8; i++)
            memcpy(to + 32 + i * 16, from + 32 + i * 16, 10);
    }
    memcpy(to + 24, from + 24, 4);
    if (bv & SSE)
        memcpy(to + 160, from + 160, 256);
}

void state_normalise(u8 *x)
{
    u8 out[XSAVE_BYTES] = {0};
    u64 bv;
    memcpy(&bv, x + XSTATE_BV, 8);
    normalise_legacy(out, x, bv);
    for (u32 i = 2; i < 8; i++)
        if (bv >> i & 1)
            memcpy(out + xsave_offset[i], x + xsave_offset[i], xsave_bytes[i]);
    memcpy(x, out, sizeof out);
}

u64 state_hash(u64 h, const void *p, size_t bytes)
{
    const u64 *w = p;
    for (size_t i = 0; i < bytes / 8; i++) {
        h = (h ^ w[i]) * 0x9e3779b97f4a7c15ul;
        h ^= h >> 29;
    }
    return h;
}

/* SPDX-License-Identifier: Apache-2.0
 * What the generator of cases (fuzz_gen.c, a 64-bit program that has the decoder) and the guest that runs them (fuzz_guest.c, an IA-32 program without
 * libc) have in common: a case, and where its memory is. */
#ifndef LP_IA32_FUZZ_H
#define LP_IA32_FUZZ_H
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, GPRS };

enum {
    DATA_AT = 0x50000000,  /* random contents, compared; then a page that cannot be written, then one that cannot be read */
    DATA_BYTES = 0x3000,
    DATA_MIDDLE = DATA_AT + 0x1800,
    RO_AT = DATA_AT + DATA_BYTES,
    NONE_AT = RO_AT + 0x1000,
    STACK_AT = DATA_AT + 0x800, /* esp begins about here */
    FS_AT = DATA_AT + 0x1000, GS_AT = DATA_AT + 0x1c00,
    CODE_AT = 0x50200000,  /* where tools/arena.h of the other fuzzer looks */
    SLOT = 512,
    GROUP = 512,           /* cases whose code is there at the same time */
    CODE_MAX = 160,
    PAD = 32,              /* int3 after it */
    SMALL_INDEX = 7,       /* the vector register whose elements are small */
};

struct fuzz_case {
    u32 number, at, ncode, eflags, seed;
    u32 undefined; /* flags that its last instruction leaves as it likes */
    u32 gpr[GPRS];
    u8 code[CODE_MAX];
};

static inline u64 rng_next(u64 *s)
{
    u64 z = *s += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}
static inline u32 rng_below(u64 *s, u32 n) { return (u32)((rng_next(s) >> 32) * n >> 32); }
static inline bool rng_percent(u64 *s, u32 p) { return rng_below(s, 100) < p; }
#endif

/* SPDX-License-Identifier: Apache-2.0
 * The host heap, which malloc uses: blocks by size class from central lists, and big blocks. For hostmalloc.c only. */
#ifndef LP_HOSTHEAP_H
#define LP_HOSTHEAP_H
#include "base/base.h"

/* Mapped for blocks of all sizes, in use or not. */
u64 hostheap_bytes(void);

#define SEG_BYTES (1ul << 20)
#define SEG_MASK (SEG_BYTES - 1)
#define UNIT_SHIFT 13
#define UNIT_BYTES (1ul << UNIT_SHIFT)
#define UNITS (SEG_BYTES / UNIT_BYTES)
#define CLASSES 48u
#define SMALL_MAX 131072ul
#define CLASS_BIG 255
#define CLASS_FREE 254
#define MIN_ALIGN 16ul
#define HEAD_MAGIC 0x4c50484541503031ul
#define SIZE_LIMIT ((size_t)PTRDIFF_MAX)

/* What a block's address leads to. */
struct head {
    u64 magic;
    u64 base, bytes;          /* the mapping (big blocks) */
    u64 offset;               /* of the user's bytes from base (big blocks) */
    u8 class_of[UNITS];
};

/* 16, 32, ... 128, then four classes for each doubling. */
static inline u32 class_for(size_t bytes)
{
    size_t last = bytes - (bytes != 0);
    if (last < 128)
        return (u32)(last >> 4);
    u32 log = 63 - (u32)__builtin_clzl(last);
    return 8 + (log - 7) * 4 + ((u32)(last >> (log - 2)) & 3);
}

static inline size_t class_bytes(u32 c)
{
    return c < 8 ? (c + 1) * 16ul : (5ul + (c & 3)) << (5 + (c - 8) / 4);
}

/* H1 */
static inline struct head *head_of(const void *p)
{
    u64 a = (u64)p;
    struct head *h = (struct head *)(a & SEG_MASK ? a & ~SEG_MASK : a - PAGE_BYTES);
    if (UNLIKELY(h->magic != HEAD_MAGIC))
        BUG("%p is not a block of the host heap", p);
    return h;
}

static inline u32 unit_of(const void *p)
{
    return (u32)((u64)p & SEG_MASK) >> UNIT_SHIFT;
}

/* Once, before the first block is taken. */
void hostheap_init(void);
/* No more than so many bytes are mapped for blocks from now on (0: as many as there are); what is mapped already
 * stays. */
void hostheap_set_limit(u64 bytes);
/* hostmem_confine was called: what is free elsewhere is left alone. */
void hostheap_confined(void);
/* Lifts it; the limit that it was. */
u64 hostheap_drop_limit(void);
/* A list (linked through the first word) of up to `want` blocks of a class; fewer, 0 too, when memory is short. */
u32 hostheap_take(u32 c, u32 want, void **list);
void hostheap_give(u32 c, void *list);
/* A big block; *zero: its bytes are known to be 0. NULL: errno is ENOMEM. */
void *hostheap_big_new(size_t bytes, size_t align, bool *zero);
void hostheap_big_free(struct head *h);
/* In place or with its pages moved; NULL: to be copied. */
void *hostheap_big_resize(struct head *h, size_t bytes);
/* Holds all the heap's locks; the holder may go on using it. Nests. */
void hostheap_before_fork(void);
void hostheap_after_fork(bool child);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * heapcheck: which bytes the program may access. A byte of shadow stands for 8 bytes of memory: how many of them may be accessed, less 8. What is not the heap's has 0, as has memory
 * that nobody has said anything about; the inside of a block has 1, which is as good. All below -7 is forbidden, and says why. The shadow lies at a fixed place: an access
 * is looked up with a shift and an addition. */
#ifndef HEAPSHADOW_H
#define HEAPSHADOW_H
#include "tool.h"

#include <sys/mman.h>

enum Shadow { SHADOW_PLAIN = 0, SHADOW_BLOCK = 1, SHADOW_REAR = -8, SHADOW_HEADER = -9, SHADOW_FREED = -10, SHADOW_FREE = -11 }; /* FREE: the allocator's, given out to nobody */

static const ADDRINT SHADOW_AT = ADDRINT(1) << 44, SHADOW_BYTES = ADDRINT(1) << 44; /* for addresses of 47 bits */
static const UINT32 WORD = 8;

static inline INT8 *shadow_of(ADDRINT address) { return reinterpret_cast<INT8 *>(SHADOW_AT + (address >> 3)); }

static inline BOOL shadow_start()
{
    VOID *at = mmap(reinterpret_cast<VOID *>(SHADOW_AT), SHADOW_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED)
        return FALSE;
    madvise(at, SHADOW_BYTES, MADV_DONTDUMP);
    madvise(at, SHADOW_BYTES, MADV_NOHUGEPAGE);
    return TRUE;
}

/* May the byte be accessed? */
static inline BOOL shadow_ok(ADDRINT address) { return *shadow_of(address) + 7 >= INT32(address & 7); }
static inline BOOL shadow_is_heap(ADDRINT address) { return *shadow_of(address) != SHADOW_PLAIN; }

/* The first byte of a range that may not be accessed, or its end. */
static inline ADDRINT shadow_first_bad(ADDRINT from, ADDRINT to)
{
    static const UINT64 SIGNS = 0x8080808080808080ull;
    for (ADDRINT at = from; at < to; at = (at | 7) + 1) {
        while (to - at >= 8 * WORD && !(at & 7) && !(*reinterpret_cast<const UINT64 *>(shadow_of(at)) & SIGNS))
            at += 8 * WORD;
        if (at == to)
            break;
        INT8 s = *shadow_of(at);
        if (s >= 0)
            continue;
        ADDRINT limit = (at & ~ADDRINT(7)) + ADDRINT(s <= -8 ? 0 : s + 8);
        if (limit < to && (at | 7) >= limit)
            return limit > at ? limit : at;
    }
    return to;
}

/* Whole words. */
static inline VOID shadow_fill(ADDRINT from, ADDRINT to, INT8 value)
{
    if (to > from)
        memset(shadow_of(from), value, (to - from) / WORD);
}

/* Memory that has come or gone: nothing is known of it. Large ranges are given back. */
static inline VOID shadow_forget(ADDRINT from, ADDRINT to)
{
    static const ADDRINT MUCH = 1 << 16;
    ADDRINT low = ADDRINT(shadow_of(from)), high = ADDRINT(shadow_of(to - 1)) + 1, first = (low + 4095) & ~4095ul, last = high & ~4095ul;
    if (high - low < MUCH) {
        memset(reinterpret_cast<VOID *>(low), 0, high - low);
        return;
    }
    memset(reinterpret_cast<VOID *>(low), 0, first - low);
    memset(reinterpret_cast<VOID *>(last), 0, high - last);
    madvise(reinterpret_cast<VOID *>(first), last - first, MADV_DONTNEED);
}

/* A block's bytes, from an address that is a multiple of 8. */
static inline VOID shadow_open(ADDRINT from, UINT64 bytes)
{
    static const UINT64 LARGE = 1 << 20, SOME = 1 << 16; /* a large block costs little before it is used; strings that begin far inside of it are not followed */
    UINT64 whole = bytes / WORD * WORD;
    shadow_fill(from, from + (bytes < LARGE ? whole : SOME), SHADOW_BLOCK);
    if (bytes >= LARGE)
        shadow_forget(from + SOME, from + whole);
    if (bytes % WORD)
        *shadow_of(from + bytes) = INT8(bytes % WORD) - 8;
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Numbers in few bytes: seven bits in each, the low ones first; signed ones with their sign in the lowest bit. No
 * state. */
#ifndef LP_VARINT_H
#define LP_VARINT_H
#include "base/base.h"

static inline u8 *varint_put(u8 *to, u64 v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (u8)(v | 0x80);
    *to++ = (u8)v;
    return to;
}

static inline u8 *varint_put_signed(u8 *to, s64 v) { return varint_put(to, (u64)v << 1 ^ (u64)(v >> 63)); }

static inline u64 varint_get(const u8 **at)
{
    u64 v = 0;
    for (u32 shift = 0;; shift += 7) {
        u8 byte = *(*at)++;
        v |= (u64)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
}

static inline s64 varint_get_signed(const u8 **at)
{
    u64 v = varint_get(at);
    return (s64)(v >> 1 ^ -(v & 1));
}

#endif

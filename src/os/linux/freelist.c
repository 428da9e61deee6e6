/* SPDX-License-Identifier: Apache-2.0
 * A list of free ranges (freelist.h): few, unordered; the smallest goes when there is no room for another. The caller
 * holds the lock. */
#include "os/linux/freelist.h"

static u64 bytes_of(struct range r) { return r.end - r.start; }

static void drop(struct freelist *l, u32 i) { l->at[i] = l->at[--l->n]; }

static u32 smallest(const struct freelist *l)
{
    u32 least = 0;
    for (u32 i = 1; i < l->n; i++)
        if (bytes_of(l->at[i]) < bytes_of(l->at[least]))
            least = i;
    return least;
}

struct range freelist_add(struct freelist *l, u64 start, u64 end, u64 edge)
{
    struct range r = {start, end};
    for (u32 i = l->n; i-- > 0;) {
        if (l->at[i].end < r.start || l->at[i].start > r.end)
            continue;
        r.start = l->at[i].start < r.start ? l->at[i].start : r.start;
        r.end = l->at[i].end > r.end ? l->at[i].end : r.end;
        drop(l, i);
    }
    if (r.start == edge)
        return r;
    if (l->n < FREELIST_MAX) {
        l->at[l->n++] = r;
    } else {
        u32 i = smallest(l);
        if (bytes_of(l->at[i]) < bytes_of(r))
            l->at[i] = r;
    }
    return r;
}

bool freelist_best(struct freelist *l, size_t bytes, size_t align, bool low, struct range *out, u64 *place)
{
    u32 best = FREELIST_MAX;
    for (u32 i = 0; i < l->n; i++) {
        struct range r = l->at[i];
        u64 at = (low ? r.start + align - 1 : r.end - bytes) & ~(align - 1);
        if (bytes_of(r) < bytes || at < r.start || at + bytes > r.end ||
            (best < FREELIST_MAX && bytes_of(r) >= bytes_of(l->at[best])))
            continue;
        best = i;
        *place = at;
    }
    if (best == FREELIST_MAX)
        return false;
    *out = l->at[best];
    drop(l, best);
    return true;
}

void freelist_fill(struct freelist *l, u64 start, u64 end)
{
    for (u32 i = l->n; i-- > 0;) {
        if (l->at[i].start >= end || l->at[i].end <= start)
            continue;
        if (l->at[i].end > end)
            l->at[i].start = end;
        else
            drop(l, i);
    }
}

u64 freelist_bytes(const struct freelist *l)
{
    u64 sum = 0;
    for (u32 i = 0; i < l->n; i++)
        sum += bytes_of(l->at[i]);
    return sum;
}

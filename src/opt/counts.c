/* SPDX-License-Identifier: Apache-2.0
 * See counts.h. Owns the encoded form of a trace's counters. Written under jit_lock, read in signal handlers without a
 * lock. */
#include "opt/counts.h"

#include "base/varint.h"
#include "opt/pass.h"
#include "os/thread.h"

static void add(const struct count *c, s64 delta)
{
    void *at = c->in_thread ? (u8 *)&vm_tc + c->addr : (void *)c->addr;
    switch (c->bytes * 2 + c->locked) {
    case 2: *(u8 *)at = (u8)(*(u8 *)at + delta); break;
    case 3: __atomic_fetch_add((u8 *)at, (u8)delta, __ATOMIC_RELAXED); break;
    case 4: *(u16 *)at = (u16)(*(u16 *)at + delta); break;
    case 5: __atomic_fetch_add((u16 *)at, (u16)delta, __ATOMIC_RELAXED); break;
    case 8: *(u32 *)at += (u32)delta; break;
    case 9: __atomic_fetch_add((u32 *)at, (u32)delta, __ATOMIC_RELAXED); break;
    case 16: *(u64 *)at += (u64)delta; break;
    case 17: __atomic_fetch_add((u64 *)at, (u64)delta, __ATOMIC_RELAXED); break;
    }
}

/* Flags in the same byte as the counter's size. */
enum { LOCKED = 16, IN_THREAD = 32, SUM_OF_CALLS = 64, REPEATS = 128 };

u32 counts_max_bytes(const struct pass *b) { return b->ncounts * 29 + b->ncount_items * 8; }

static s64 sum_of_calls(const struct pass *b, const struct count *k)
{
    s64 sum = 0;
    for (u32 n = 0; n < k->nitems; n++)
        sum += b->count_item[k->item + n].delta;
    return sum;
}

u8 *counts_encode(u8 *to, const struct pass *b)
{
    for (u32 i = 0; i < b->ncounts; i++) {
        const struct count *k = &b->count[i].c;
        bool plain = k->sum == sum_of_calls(b, k);
        *to++ = (u8)(k->bytes | (k->locked ? LOCKED : 0) | (k->in_thread ? IN_THREAD : 0) | (plain ? SUM_OF_CALLS : 0) |
                     (k->repeats ? REPEATS : 0));
        to = varint_put_signed(to, (s64)k->addr);
        if (!plain)
            to = varint_put_signed(to, k->sum);
        to = varint_put(to, k->done_off);
        to = varint_put(to, k->nitems);
        u16 last = 0;
        for (u32 n = 0; n < k->nitems; n++) {
            const struct count_item *it = &b->count_item[k->item + n];
            to = varint_put_signed(to, it->pc_off - last);
            to = varint_put_signed(to, it->delta);
            last = it->pc_off;
        }
    }
    return to;
}

void counts_settle(const struct trace *t, u32 off, u16 pc_off, bool calls_done, u64 left)
{
    const u8 *at = t->records + t->map_bytes, *end = at + t->count_bytes;
    while (at < end) {
        u8 head = *at++;
        struct count k = {.bytes = head & 15, .locked = head & LOCKED, .in_thread = head & IN_THREAD,
            .addr = (u64)varint_get_signed(&at)};
        if (!(head & SUM_OF_CALLS))
            k.sum = varint_get_signed(&at);
        k.done_off = (u32)varint_get(&at);
        k.nitems = (u16)varint_get(&at);
        u64 due = 0, all = 0; /* sums are modulo 2^64, as additions in the cache are */
        u16 item_pc = 0;
        for (u32 n = 0; n < k.nitems; n++) {
            item_pc = (u16)(item_pc + varint_get_signed(&at));
            u64 delta = (u64)varint_get_signed(&at);
            all += delta;
            if (item_pc < pc_off || (item_pc == pc_off && calls_done))
                due += delta;
        }
        if (!(head & SUM_OF_CALLS))
            all = (u64)k.sum;
        if (head & REPEATS)
            due = off >= k.done_off && !pc_off ? all * (calls_done - (left ? left : 1)) : 0;
        else if (off >= k.done_off)
            due -= all;
        if (due)
            add(&k, (s64)due);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * See counts.h. */
#include "jit/counts.h"

#include "vm/thread.h"

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

void counts_settle(const struct counts *c, u32 off, u16 pc_off, bool calls_done)
{
    for (u32 i = 0; i < c->ncounts; i++) {
        const struct count *k = &c->count[i];
        s64 due = 0;
        for (u32 n = 0; n < k->nitems; n++) {
            const struct count_item *it = &c->item[k->item + n];
            if (it->pc_off < pc_off || (it->pc_off == pc_off && calls_done))
                due += it->delta;
        }
        if (off >= k->done_off)
            due -= k->sum;
        if (due)
            add(k, due);
    }
}

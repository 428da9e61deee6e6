/* SPDX-License-Identifier: Apache-2.0
 * See spread.h. The value of a place only grows; how much of it was added to the counter already is kept beside it.
 * Under jit_lock, but for spread_flush. */
#include "opt/spread.h"

#include "base/options.h"
#include "opt/events.h"
#include "os/thread.h"

#include <string.h>

#define SITES 512       /* slots of a hash table */
#define SITES_ENOUGH 3  /* so many additions have to be in the code before a counter is spread */

struct counter {
    struct home at;
    u8 bytes;
    u8 next;
};

bool spread_used;
static bool stopped;
static struct counter counter[SPREAD_COUNTERS];
static u32 ncounters;
static struct { u64 addr; u32 count; } site[SITES];

static struct counter *find(const struct home *at, u8 bytes)
{
    for (u32 i = 0; i < ncounters; i++)
        if (counter[i].bytes == bytes && home_same(&counter[i].at, at))
            return &counter[i];
    return NULL;
}

static struct counter *add_counter(const struct home *at, u8 bytes)
{
    if (ncounters == SPREAD_COUNTERS)
        return NULL;
    counter[ncounters] = (struct counter){*at, bytes, 0};
    __atomic_store_n(&ncounters, ncounters + 1, __ATOMIC_RELEASE);
    spread_used = true;
    return &counter[ncounters - 1];
}

bool spread_on(void) { return !stopped && !options.no_spread; }

/* Is one of them a tool register that is a counter, and the other one at the address in that register? A register that
 * is a counter has its value only after a flush, so it cannot be a pointer. */
static bool contradicts(const struct home *a, const struct home *b)
{
    bool registers = (a->base == HOME_TOOL_REG && b->base == HOME_TOOL_VALUE) ||
                     (a->base == HOME_TOOL_VALUE && b->base == HOME_TOOL_REG);
    return registers && a->at == b->at;
}

bool spread_take(const struct home *at, u8 bytes)
{
    if (!spread_on())
        return false;
    for (u32 i = 0; i < ncounters; i++)
        if (contradicts(&counter[i].at, at))
            return false;
    return find(at, bytes) || add_counter(at, bytes);
}

/* Is a counter worth a place? When places get scarce, one that few blocks add to is not. */
static bool is_wanted(u64 addr)
{
    u32 h = (u32)(addr >> 3) % SITES;
    if (site[h].addr != addr) {
        site[h].addr = addr;
        site[h].count = 0;
    }
    return ++site[h].count >= SITES_ENOUGH;
}

size_t spread_next(const struct home *at, u8 bytes)
{
    struct counter *c = spread_on() ? find(at, bytes) : NULL;
    if (!c && spread_on() && (ncounters < SPREAD_COUNTERS / 2 || is_wanted(at->v)))
        c = add_counter(at, bytes);
    return c ? offsetof(struct thread, opt.spread.place[c - counter][c->next++ % SPREAD_PLACES]) : 0;
}

static u64 address(const struct home *p, const struct thread *t)
{
    u64 id = t->id, v = p->v + id * (u64)p->by_thread, base = 0;
    switch (p->base) {
    case HOME_FIXED: break;
    case HOME_POINTER: base = *(u64 *)(p->at + id * (u64)p->at_by_thread); break;
    case HOME_TOOL_REG: base = t->opt.tool_reg[p->at]; break;
    case HOME_TOOL_VALUE: base = (u64)&t->opt.tool_reg[p->at]; break;
    case HOME_DATA: base = (u64)opt_events.thread_data((int)p->at, t->id); break;
    case HOME_DATA_KEY: base = (u64)opt_events.thread_data(*(int *)p->at, t->id); break;
    }
    return v + base;
}

/* Adds to a counter, which other threads may add to at the same time. */
static void add(u64 to, u8 bytes, u64 v)
{
    switch (bytes) {
    case 1: __atomic_fetch_add((u8 *)to, (u8)v, __ATOMIC_RELAXED); break;
    case 2: __atomic_fetch_add((u16 *)to, (u16)v, __ATOMIC_RELAXED); break;
    case 4: __atomic_fetch_add((u32 *)to, (u32)v, __ATOMIC_RELAXED); break;
    case 8: __atomic_fetch_add((u64 *)to, v, __ATOMIC_RELAXED); break;
    }
}

static void flush_thread(struct thread *t, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        u64 sum = 0;
        for (u32 k = 0; k < SPREAD_PLACES; k++)
            sum += __atomic_load_n(&t->opt.spread.place[i][k], __ATOMIC_RELAXED);
        u64 more = sum - t->opt.spread.flushed[i];
        if (!more)
            continue;
        t->opt.spread.flushed[i] = sum;
        add(address(&counter[i].at, t), counter[i].bytes, more);
    }
}

void spread_flush(void)
{
    u32 n = __atomic_load_n(&ncounters, __ATOMIC_ACQUIRE);
    thread_list_lock(); /* the lock is taken even with one thread, because others may begin */
    for (struct thread *t = thread_first(); t; t = t->next)
        flush_thread(t, n);
    thread_list_unlock();
}

void spread_stop(void)
{
    if (stopped)
        return;
    stopped = true;
    if (!spread_used)
        return;
    spread_flush(); /* spread_used stays: threads may still be in old code */
    opt_events.flush();
}

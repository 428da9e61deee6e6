/* SPDX-License-Identifier: Apache-2.0
 * See spread.h. A counter gets places when it has been asked for a few times; they lie side by side in the low 2 GiB, where an instruction reaches them without a register. */
#include "jit/spread.h"

#include "base/options.h"
#include "cache/cache.h"
#include "jit/jit_internal.h"
#include "vm/thread.h"

#include <string.h>

#define PLACES 8
#define MAX_COUNTERS 64
#define SITES 512       /* hashed */
#define SITES_ENOUGH 3  /* additions in the code before a counter is spread */

struct counter {
    u64 addr;
    u8 bytes;
    u8 next;
};

bool spread_used;
static bool stopped, depended;
static struct thread *owner; /* the one thread whose code uses places */
static struct counter counter[MAX_COUNTERS];
static u32 ncounters;
static struct { u64 addr; u32 count; } site[SITES];

static u64 *places(u32 i) { return (u64 *)(low_scratch + i * PLACES * 8); }

static struct counter *find(u64 addr, u8 bytes)
{
    for (u32 i = 0; i < ncounters; i++)
        if (counter[i].addr == addr && counter[i].bytes == bytes)
            return &counter[i];
    u32 h = (u32)(addr >> 3) % SITES;
    if (site[h].addr != addr) {
        site[h].addr = addr;
        site[h].count = 0;
    }
    if (++site[h].count < SITES_ENOUGH || ncounters == MAX_COUNTERS)
        return NULL;
    counter[ncounters] = (struct counter){addr, bytes, 0};
    spread_used = true;
    owner = &vm_tc;
    return &counter[ncounters++];
}

bool spread_on(void) { return !stopped && !options.no_spread && thread_count() == 1; }

bool spread_one_thread(void)
{
    depended |= spread_on();
    return spread_on();
}

u64 spread_place(u64 addr, u8 bytes)
{
    if (!spread_on())
        return 0;
    struct counter *c = find(addr, bytes);
    return c ? (u64)&places((u32)(c - counter))[c->next++ % PLACES] : 0;
}

static void add(const struct counter *c, u64 v)
{
    u64 old = 0;
    memcpy(&old, (void *)c->addr, c->bytes);
    old += v;
    memcpy((void *)c->addr, &old, c->bytes);
}

void spread_flush(void)
{
    if (owner != &vm_tc)
        return;
    for (u32 i = 0; i < ncounters; i++) {
        u64 *p = places(i), sum = 0;
        for (u32 k = 0; k < PLACES; k++)
            sum += p[k];
        if (!sum)
            continue;
        memset(p, 0, PLACES * 8);
        add(&counter[i], sum);
    }
}

void spread_stop(void)
{
    if (stopped)
        return;
    stopped = true;
    if (!spread_used && !depended)
        return;
    spread_flush(); /* spread_used stays: the thread may still be in old code */
    jit_flush_locked();
}

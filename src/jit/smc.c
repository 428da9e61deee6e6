/* SPDX-License-Identifier: Apache-2.0
 * See smc.h. Owns copies of the source of invalidated traces. Under jit_lock. */
#include "jit/smc.h"

#include "os/hostmem.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096u

struct remains {
    gpc_t pc;
    u32 bytes;
    struct remains *next;
    u8 source[];
};

static struct remains *bucket[BUCKETS];

static struct remains **place(gpc_t pc)
{
    struct remains **at = &bucket[(pc * 0x9e3779b97f4a7c15ul >> 40) % BUCKETS];
    while (*at && (*at)->pc != pc)
        at = &(*at)->next;
    return at;
}

static void bury(struct remains **at)
{
    struct remains *r = *at;
    *at = r->next;
    free(r);
}

const u8 *smc_source(const struct trace *t) { return t->records + t->map_bytes + t->count_bytes; }

void smc_trace_killed(struct trace *t)
{
    if (!cache_events.smc || !(t->flags & TRACE_SOURCE))
        return;
    struct remains **at = place(t->pc);
    if (*at)
        bury(at);
    struct remains *r = malloc(sizeof *r + t->guest_bytes);
    if (!r)
        hostmem_die("the source of removed traces");
    r->pc = t->pc;
    r->bytes = t->guest_bytes;
    r->next = *at;
    memcpy(r->source, smc_source(t), t->guest_bytes);
    *at = r;
}

/* Compares the bytes that the old and the new trace have in common: the new one may be longer or shorter. */
void smc_trace_made(struct trace *t)
{
    struct remains **at = place(t->pc);
    if (!*at)
        return;
    u32 both = (*at)->bytes < t->guest_bytes ? (*at)->bytes : t->guest_bytes;
    bool changed = memcmp((*at)->source, smc_source(t), both) != 0;
    gpc_t end = t->pc + (*at)->bytes;
    bury(at);
    if (changed && cache_events.smc)
        cache_events.smc(t->pc, end);
}

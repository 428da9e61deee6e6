/* SPDX-License-Identifier: Apache-2.0
 * See variants.h. Owns the chains of variants; it removes traces only where there are too many. Under jit_lock. */
#include "jit/variants.h"

#include "base/options.h"
#include "cache/events.h"
#include "jit/jit_internal.h"
#include "jit/smc.h"
#include "os/os.h"

#define MAX_VARIANTS 8u
#define MAX_BYTES 64u /* of a trace, to tell which of them vary */

u64 variants_varying;

bool variants_used(void) { return !options.no_variants && !cache_events.smc && !cache_watched; }

static struct trace *next(const struct trace *t) { return t->next_variant ? trace_get(t->next_variant - 1) : NULL; }

static u32 count(const struct trace *t)
{
    u32 n = 0;
    for (; t; t = next(t))
        n++;
    return n;
}

/* All variants are as long, and none has the byte that is there now. */
static u64 varying(const struct trace *first)
{
    u8 now[MAX_BYTES];
    u64 all = 0;
    u32 bytes = first->guest_bytes;
    if (bytes > MAX_BYTES || os_safe_copy(now, (const void *)first->pc, bytes) != bytes)
        return 0;
    for (const struct trace *t = first; t; t = next(t)) {
        if (t->guest_bytes != bytes || !(t->flags & TRACE_SOURCE))
            return 0;
        for (u32 i = 0; i < bytes; i++)
            all |= (u64)(smc_source(t)[i] != now[i]) << i;
    }
    return all;
}

struct trace *variants_next(const struct trace *stale)
{
    u64 key = trace_key(stale);
    struct trace *first = dir_find(key);
    if (stale->next_variant)
        return next(stale);
    if (count(first) < MAX_VARIANTS)
        return NULL;
    variants_varying = varying(first);
    while ((first = dir_find(key)))
        jit_kill(first);
    return NULL;
}

void variants_add(struct trace *first, struct trace *t)
{
    while (first->next_variant)
        first = next(first);
    first->next_variant = t->number + 1;
}

void variants_leave(struct trace *t)
{
    struct trace *at = dir_find(trace_key(t));
    if (at == t) {
        dir_remove(t);
        if (t->next_variant)
            dir_insert(next(t));
    }
    for (; at; at = next(at))
        if (at->next_variant == t->number + 1)
            at->next_variant = t->next_variant;
    t->next_variant = 0;
}

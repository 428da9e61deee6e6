/* SPDX-License-Identifier: Apache-2.0
 * What a tool wants to know of the cache (api/codecache.c). All NULL unless it asked. Called under jit_lock in the
 * middle of the cache's work, from any depth: most are only noted, and `deliver` tells the tool in order, where the
 * client lock is held too. */
#ifndef LP_CACHE_EVENTS_H
#define LP_CACHE_EVENTS_H
#include "cache/cache.h"

struct cache_events {
    void (*linked)(const struct exit *x);
    void (*unlinked)(const struct exit *x);
    void (*invalidated)(const struct trace *t); /* one trace; a flush is one event for all */
    void (*flushed)(void);
    void (*block)(size_t bytes);
    void (*smc)(gpc_t start, gpc_t end); /* the code at start is not what was translated before */
    void (*deliver)(void);
    /* At once, client lock held; all that was noted before has been told. */
    void (*full)(size_t trace_bytes, size_t stub_bytes);
    void (*entered)(const u8 *cache_pc);
    void (*exited)(const u8 *cache_pc);
    /* Not the tool's, and always there: where an exit with that binding can jump to in `to` (opt/bind.h), NULL:
     * nowhere. */
    u8 *(*bound_entry)(const struct exit_binding *has, struct trace *to, const struct trace_binding *wants);
};
extern struct cache_events cache_events;
extern bool cache_watched; /* any of them is there */

/* What is in the cache now. */
struct cache_live {
    u32 traces, exits, links, far_links;
    u64 stub_bytes;
};
extern struct cache_live cache_live;

#endif

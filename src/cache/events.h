/* SPDX-License-Identifier: Apache-2.0
 * What the cache tells the layers above: what a tool wants to know of it (api/codecache.c). All are NULL unless the
 * tool has asked. They are called under jit_lock in the middle of the cache's work, from any depth: most only note what
 * has happened, and `deliver` tells the tool in order, where the client lock is held, too. */
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
    /* Told at once, with the client lock held; all that was noted before has been told. */
    void (*full)(size_t trace_bytes, size_t stub_bytes);
    void (*entered)(const u8 *cache_pc);
    void (*exited)(const u8 *cache_pc);
    /* Not the tool's; filled by jit_init, always there. Where an exit with that binding can jump to in `to`
     * (opt/bind.h); NULL: nowhere. */
    u8 *(*bound_entry)(const struct exit_binding *has, struct trace *to, const struct trace_binding *wants);
};
extern struct cache_events cache_events;
extern bool cache_watched; /* the tool has asked for one of them */

/* What is in the cache now. */
struct cache_live {
    u32 traces, exits, links, far_links;
    u64 stub_bytes;
};
extern struct cache_live cache_live;

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Direct links between traces (E7): made by the dispatcher when an exit was taken, undone when a trace goes. Each patch is one aligned
 * store that other threads see whole. Under jit_lock. */
#include "cache/events.h"

#include "jit/build.h"

#define FAR_STUB_BYTES 24

struct cache_events cache_events;
bool cache_watched;
struct cache_live cache_live;

static u8 *far_stub(struct region *r, const u8 *to)
{
    if (r->stub_next - r->code_next < FAR_STUB_BYTES * 2)
        return NULL;
    r->stub_next -= FAR_STUB_BYTES;
    arch_emit_far_jump(r->stub_next, to);
    return r->stub_next;
}

void link_exit(struct exit *x, struct trace *to)
{
    if (x->to || (x->from->flags & TRACE_DEAD) || (to->flags & TRACE_DEAD))
        return;
    u8 *dest = to->body;
    bool far = !arch_branch_reaches(x->patch, dest);
    if (far)
        dest = far_stub(x->from->region, dest);
    if (!dest)
        return;
    arch_patch_branch(x->patch, dest);
    x->to = to;
    x->next_in = to->in;
    to->in = x;
    x->far = far;
    cache_live.links++;
    cache_live.far_links += far;
    if (UNLIKELY(cache_events.linked))
        cache_events.linked(x);
}

static void unlink_out(struct exit *x)
{
    struct exit **at = &x->to->in;
    while (*at != x)
        at = &(*at)->next_in;
    *at = x->next_in;
    x->to = NULL;
    arch_patch_branch(x->patch, x->stub);
    cache_live.links--;
    cache_live.far_links -= x->far;
    if (UNLIKELY(cache_events.unlinked))
        cache_events.unlinked(x);
}

void link_drop_trace(struct trace *t)
{
    for (u32 i = 0; i < t->nexits; i++) {
        struct exit *x = exit_get(t->first_exit + i);
        if (x->to)
            unlink_out(x);
    }
    while (t->in)
        unlink_out(t->in);
}

void link_cut_trace(struct trace *t)
{
    for (u32 i = 0; i < t->nexits; i++) {
        struct exit *x = exit_get(t->first_exit + i);
        if (x->to)
            arch_patch_branch(x->patch, x->stub);
        x->to = NULL;
    }
    t->in = NULL;
}

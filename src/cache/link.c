/* SPDX-License-Identifier: Apache-2.0
 * Direct links between traces (E7): made by the dispatcher when an exit was taken, undone when a trace goes. Each
 * patch is one aligned store that other threads see whole. Under jit_lock. */
#include "cache/events.h"

#include "arch/arch.h"

#include <string.h>

struct cache_events cache_events;
bool cache_watched;
struct cache_live cache_live;

static u32 index_of(const struct exit *x) { return (u32)(x - exit_get(exit_from(x)->first_exit)); }

u8 *exit_stub(const struct exit *x)
{
    const struct trace *t = exit_from(x);
    return arch_stub_at(t->region->base + t->stubs_off, index_of(x));
}

u8 *trace_ib_entry(const struct trace *t) { return t->ib_off ? t->region->base + t->ib_off : NULL; }

/* The branch at `patch` leads to `to` from now on. */
static void point(u8 *patch, const u8 *to)
{
    code_open(patch, 1); /* it is in one page */
    arch_patch_branch(patch, to);
}

static u8 *far_stub(struct region *r, const u8 *to)
{
    if (r->stub_next - r->code_next < ARCH_FAR_JUMP_BYTES * 2)
        return NULL;
    region_open(r);
    r->stub_next -= ARCH_FAR_JUMP_BYTES;
    arch_emit_far_jump(r->stub_next, to);
    return r->stub_next;
}

u8 *trace_add_entry(struct trace *t, enum item_kind kind, size_t bytes, size_t left)
{
    struct region *r = t->region;
    if ((size_t)(r->stub_next - r->code_next) < bytes + left)
        return NULL;
    region_open(r);
    region_add_item(r, r->code_next, t, kind);
    return r->code_next;
}

void trace_end_entry(struct trace *t, u8 *end) { t->region->code_next = (u8 *)(((u64)end + 15) & ~15ul); }

/* --- bindings ----------------------------------------------------------------------------------------------------- */

static const u8 *bindings(const struct trace *t)
{
    return t->records + t->map_bytes + t->count_bytes + (t->flags & TRACE_SOURCE ? t->guest_bytes : 0);
}

bool trace_binding(const struct trace *t, struct trace_binding *out)
{
    if (LIKELY(!(t->flags & TRACE_BOUND)))
        return false;
    memcpy(out, bindings(t), sizeof *out);
    return true;
}

bool exit_binding(const struct exit *x, struct exit_binding *out)
{
    if (LIKELY(!x->binds))
        return false;
    const struct trace *t = exit_from(x);
    const u8 *at = bindings(t) + (t->flags & TRACE_BOUND ? sizeof(struct trace_binding) : 0);
    for (u32 i = 0; i < t->nexits; i++) {
        memcpy(out, at + i * sizeof *out, sizeof *out);
        if (out->exit == index_of(x))
            return true;
    }
    BUG("exit %u of the trace at guest %lx has no binding", index_of(x), t->pc);
}

/* Links the exit's early jump to the second entry of `to`. False: it has to be linked to the first entry, with all
 * registers in place. */
static bool link_early(struct exit *x, struct trace *to)
{
    struct exit_binding has;
    struct trace_binding wants;
    if (!exit_binding(x, &has) || !trace_binding(to, &wants))
        return false;
    u8 *patch = exit_from(x)->body + has.early_off;
    u8 *dest = arch_branch_reaches(patch, to->region->base) && arch_branch_reaches(patch, to->region->end)
                   ? cache_events.bound_entry(&has, to, &wants)
                   : NULL;
    if (!dest)
        return false;
    point(patch, dest);
    x->bound = true;
    return true;
}

/* Makes the exit's jump lead to its stub again. */
static void cut(struct exit *x)
{
    struct exit_binding b;
    if (x->bound && exit_binding(x, &b))
        point(exit_from(x)->body + b.early_off, exit_from(x)->body + b.late_off);
    else
        point(exit_patch(x), exit_stub(x));
    x->bound = false;
}

/* --- links -------------------------------------------------------------------------------------------------------- */

void link_exit(struct exit *x, struct trace *to)
{
    struct trace *from = exit_from(x);
    if (x->to || (from->flags & TRACE_DEAD) || (to->flags & TRACE_DEAD) || (to->flags & TRACE_SECTION && to != from))
        return;
    u8 *dest = to->body, *patch = exit_patch(x);
    bool early = link_early(x, to), far = !early && !arch_branch_reaches(patch, dest);
    if (far)
        dest = far_stub(from->region, dest);
    if (!dest)
        return;
    if (!early)
        point(patch, dest);
    x->to = to->number + 1;
    x->next_in = to->in;
    to->in = from->first_exit + index_of(x) + 1;
    x->far = far;
    cache_live.links++;
    cache_live.far_links += far;
    if (UNLIKELY(cache_events.linked))
        cache_events.linked(x);
}

static void unlink_out(struct exit *x)
{
    u32 *at = &exit_to(x)->in;
    while (exit_get(*at - 1) != x)
        at = &exit_get(*at - 1)->next_in;
    *at = x->next_in;
    x->to = 0;
    cut(x);
    cache_live.links--;
    cache_live.far_links -= x->far;
    if (UNLIKELY(cache_events.unlinked))
        cache_events.unlinked(x);
}

/* A call ends its trace, and is its last exit. */
static bool calls_for(const struct exit *x, gpc_t ret)
{
    const struct trace *from = exit_from(x);
    return x->kind == EXIT_KIND_BRANCH && index_of(x) + 1 == from->nexits && from->pc + from->guest_bytes == ret;
}

void link_redirect(struct trace *to, gpc_t ret, u16 clone)
{
    u32 *at = &to->in;
    while (*at) {
        struct exit *x = exit_get(*at - 1);
        if (!calls_for(x, ret)) {
            at = &x->next_in;
            continue;
        }
        x->version = clone;
        unlink_out(x);
    }
}

void link_drop_trace(struct trace *t)
{
    for (u32 i = 0; i < t->nexits; i++) {
        struct exit *x = exit_get(t->first_exit + i);
        if (x->to)
            unlink_out(x);
    }
    while (t->in)
        unlink_out(exit_get(t->in - 1));
}

void link_cut_trace(struct trace *t)
{
    for (u32 i = 0; i < t->nexits; i++) {
        struct exit *x = exit_get(t->first_exit + i);
        if (x->to)
            cut(x);
        x->to = 0;
    }
    t->in = 0;
}

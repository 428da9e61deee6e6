/* SPDX-License-Identifier: Apache-2.0
 * What a cache address stands for, from the region's items and the trace's state map. Reads only; called without a
 * lock, also in signal handlers (E9). */
#include "cache/cache.h"

#include "arch/arch.h"

struct code_item place_item(u64 pc)
{
    const struct region *r = region_of((void *)pc);
    return r ? region_find_item(r, (void *)pc) : (struct code_item){0};
}

const struct trace *place_trace(u64 pc)
{
    struct code_item item = place_item(pc);
    return item.kind != ITEM_BODY ? NULL : item.trace;
}

const struct trace *place_body(u64 pc)
{
    const struct trace *t = place_trace(pc);
    return t && pc < (u64)t->body + t->body_bytes ? t : NULL;
}

/* The map entry of an address in t. */
static struct map_entry state(const struct trace *t, u64 pc) { return map_at(t, pc - (u64)t->body); }

gpc_t place_guest_pc(const struct trace *t, u64 pc) { return t->pc + state(t, pc).pc_off; }

gpc_t place_guest_pc_at(u64 at, bool whole)
{
    for (const struct region *r = region_first(); r; r = r->next) {
        u64 pc = whole ? at : ((u64)r->base & ~0xfffffffful) | at;
        if (pc < (u64)r->code_start || pc >= (u64)r->code_next)
            continue;
        struct code_item item = region_find_item(r, (void *)pc);
        if (item.trace && item.kind == ITEM_BODY)
            return place_guest_pc(item.trace, pc);
    }
    return 0;
}

bool place_leaves(const struct region *r, u64 pc)
{
    if (pc < (u64)r->forward_end)
        return true;
    if (pc >= (u64)r->stub_next)
        return arch_stub_waits(pc);
    const struct trace *t = pc >= (u64)r->code_start ? place_trace(pc) : NULL;
    if (!t)
        return false;
    struct map_entry m = state(t, pc);
    return m.waits || m.kind == MAP_CALLS_DONE || (m.kind == MAP_CALLS && (m.data || m.off != pc - (u64)t->body));
}

u64 place_look(u64 pc, struct map_entry *at)
{
    const struct trace *t = place_body(pc);
    if (!t)
        return 0;
    struct map_reader r;
    struct map_entry last = {0};
    u64 look = 0;
    bool begun = false;
    for (map_begin(&r, t); map_next(&r) && r.e.off <= pc - (u64)t->body; last = r.e) {
        bool in_place = r.e.kind == MAP_GUEST && !r.e.how && r.e.calls_done && !begun,
             in_work = arch_map_undone >> r.e.how & 1 && last.pc_off == r.e.pc_off;
        if (r.e.kind == MAP_CALLS_DONE) {
            look = (u64)t->body + r.e.off;
            begun = false;
        } else if (!in_place && !in_work) {
            look = 0;
        }
        begun |= in_work;
    }
    *at = last;
    return look;
}

static bool at_boundary(u64 pc)
{
    const struct trace *t = place_trace(pc);
    if (!t)
        return false;
    struct map_entry m = state(t, pc);
    bool fresh = m.kind == MAP_GUEST ? !m.how && !m.calls_done && !m.waits && !m.stepped
                                     : (m.kind == MAP_CALLS && !m.data) || m.kind == MAP_INLINE;
    return fresh && m.off == pc - (u64)t->body;
}

static bool calls_done(const struct trace *t, u64 pc)
{
    struct map_entry m;
    return t && (place_look(pc, &m) || state(t, pc).stepped);
}

static bool in_inlined(const struct trace *t, u64 pc) { return t && state(t, pc).kind == MAP_INLINE; }

static bool in_commit(const struct trace *t, u64 pc)
{
    if (!t)
        return false;
    struct map_entry m = state(t, pc);
    return m.kind == MAP_INLINE ? (u64)t->body + m.off != pc : m.kind == MAP_COMMIT || m.stepped;
}

static bool can_resume(const struct trace *t, u64 pc)
{
    if (!t)
        return true;
    struct map_entry m = state(t, pc);
    return !(m.held >> arch_info.sp & 1) && !m.flags_held && (!m.next_in || m.next_in == arch_info.carry + 1);
}

bool place_is(u64 pc, enum os_place what)
{
    switch (what) {
    case PLACE_BOUNDARY: return at_boundary(pc);
    case PLACE_CALLS_DONE: return calls_done(place_body(pc), pc);
    case PLACE_INLINED: return in_inlined(place_body(pc), pc);
    case PLACE_COMMIT: return in_commit(place_body(pc), pc);
    case PLACE_RESUMES: return can_resume(place_body(pc), pc);
    }
    return false;
}

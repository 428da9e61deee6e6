/* SPDX-License-Identifier: Apache-2.0
 * Regions of the code cache: where they are (E5), space in them, and their life: active, draining after a flush
 * until every thread has been in the VM (E9), free for reuse. Under jit_lock, but for region_of and
 * region_find_item, which a signal handler may call on a thread that is in the cache: the list only grows, items
 * never move. */
#include "cache/events.h"

#include "base/options.h"
#include "arch/arch.h"
#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/os.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define REGION_DEFAULT_BYTES (16ul << 20)
/* The first one near some code, where there is no tool. Most programs need no more, and it has one page of page tables
 * of its own, which a fork copies; so it is at a multiple of its size. */
#define REGION_FIRST_BYTES (1ul << 20)
#define REGION_MIN_BYTES (64ul << 10)
#define REGION_TOOL_BYTES (1ul << 20)
/* The share of a limited address space that a region may have: there will be two or three regions, and records
 * besides. */
#define REGION_SHARE 32
#define REGION_SHORT_BYTES (1ul << 20) /* a region is not made smaller than this when memory is short */
#define REACH (3ul << 29) /* 1.5 GiB: leaves room for the guest's data around its code */
#define MIN_BYTES_PER_ITEM 16
#define LOW_END 0x80000000ul

static struct region *regions;
static u64 limit, region_bytes, least_bytes, total;

void region_init(u64 limit_bytes)
{
    struct rlimit rl;
    limit = limit_bytes;
    region_bytes = arch_info.branch_reach < REGION_DEFAULT_BYTES ? arch_info.branch_reach : REGION_DEFAULT_BYTES;
    if (getrlimit(RLIMIT_AS, &rl) == 0 && rl.rlim_cur / REGION_SHARE < region_bytes)
        region_bytes = rl.rlim_cur / REGION_SHARE > REGION_SHORT_BYTES ? PAGE_DOWN(rl.rlim_cur / REGION_SHARE)
                                                                       : REGION_SHORT_BYTES;
    if (limit && limit / 4 < region_bytes)
        region_bytes = PAGE_DOWN(limit / 4);
    bool calls = options.tool || options.appdebug || options.appdebug_enable;
    least_bytes = calls ? REGION_TOOL_BYTES : REGION_MIN_BYTES; /* a trace full of analysis calls is large */
    if (region_bytes < least_bytes)
        region_bytes = least_bytes;
}

struct region *region_first(void) { return regions; }

static bool near(const struct region *r, gpc_t pc)
{
    if (UNLIKELY(arch_narrow))
        return true;
    if (pc < LOW_END) /* in the low 2 GiB every address can reach every other one */
        return (u64)r->end <= LOW_END;
    u64 d = pc > (u64)r->base ? pc - (u64)r->base : (u64)r->base - pc;
    return d < REACH;
}

static size_t space(const struct region *r) { return (size_t)(r->stub_next - r->code_next); }

void region_open(struct region *r) { code_open(r->code_next, space(r)); }

static int code_prot(void) { return PROT_READ | PROT_WRITE | (options.wx ? 0 : PROT_EXEC); }

/* Where regions are, so that one that is large enough can have large pages. */
static u64 alignment(void) { return region_bytes < TABLES_LARGE_BYTES ? REGION_FIRST_BYTES : TABLES_LARGE_BYTES; }
static u64 multiple_below(u64 addr) { return addr & ~(alignment() - 1); }

/* The range that the user has named; end 0: none. */
static struct addresses named_range(void)
{
    return options.cc_memory_range.end ? options.cc_memory_range : options.pin_memory_range;
}

static void *place_in(struct addresses in)
{
    u64 try = in.end > region_bytes ? multiple_below(in.end - region_bytes) : 0;
    for (; try && try >= in.start; try -= alignment()) {
        void *p = hostmem_map_at(try, region_bytes, code_prot());
        if (p)
            return p;
    }
    return NULL;
}

static void *map_anywhere(void)
{
    return named_range().end ? place_in(named_range()) : hostmem_map_aligned(region_bytes, alignment(), code_prot());
}

/* Above the guest's mmap area, below what its stack may grow to. */
static void *place_under_stack(gpc_t pc)
{
    struct gmap_area a = {0};
    struct rlimit rl;
    u64 top = 0, at = 0;
    while (gmap_next(at, &a) && !(a.flags & GMAP_STACK)) {
        top = a.end;
        at = a.end;
    }
    if (!(a.flags & GMAP_STACK) || getrlimit(RLIMIT_STACK, &rl) || rl.rlim_cur == RLIM_INFINITY)
        return NULL;
    u64 high = a.end - rl.rlim_cur - (2ul << 20);
    u64 try = multiple_below(top + alignment() * 2);
    for (; try + region_bytes < high && try - pc < REACH; try += region_bytes) {
        void *p = hostmem_map_at(try, region_bytes, code_prot());
        if (p)
            return p;
    }
    return NULL;
}

static void *place_below(u64 start, u64 lowest)
{
    u64 try = multiple_below(start - region_bytes);
    for (; try > lowest && start - try < REACH; try -= region_bytes) {
        void *p = hostmem_map_at(try, region_bytes, code_prot());
        if (p)
            return p;
    }
    return NULL;
}

static void *place_near(gpc_t pc)
{
    struct gmap_area a;
    if (named_range().end)
        return NULL; /* there, and nowhere else */
    if (UNLIKELY(arch_narrow))
        return map_anywhere();
    if (pc < LOW_END)
        return place_below(0x7e000000ul, 0x20000000ul);
    void *p = place_under_stack(pc);
    if (!p && gmap_find(pc, &a) && a.ino && pc < 0x700000000000ul)
        p = place_below(a.start - (256ul << 20), 0x100000000ul);
    return p;
}

static void reset(struct region *r)
{
    r->code_next = r->code_start;
    r->stub_next = r->end;
    r->nitems = 0;
    r->dead_bytes = 0;
    r->state = REGION_ACTIVE;
}

static bool may_grow(void) { return !limit || !total || total + region_bytes <= limit; }

static struct region *create(u8 *base)
{
    if (!base)
        return NULL;
    struct region *r = calloc(1, sizeof *r);
    size_t cap = region_bytes / MIN_BYTES_PER_ITEM;
    struct packed_item *items = tables_map(cap * sizeof *items);
    if (!r || !items) {
        hostmem_unmap(base, region_bytes);
        free(r);
        return NULL;
    }
    r->base = base;
    r->end = base + region_bytes;
    r->items = items;
    r->items_cap = (u32)cap;
    code_new(r);
    if (!options.wx) /* which divides them all the time */
        tables_want_large(base, region_bytes);
    arch_emit_common(r);
    r->code_start = (u8 *)(((u64)r->common_end + 63) & ~63ul);
    reset(r);
    r->next = regions;
    __atomic_store_n(&regions, r, __ATOMIC_RELEASE);
    total += region_bytes;
    os_region_made();
    log_at(1, "cache region %lx-%lx", (u64)r->base, (u64)r->end);
    if (UNLIKELY(cache_events.block))
        cache_events.block(region_bytes);
    return r;
}

static struct region *pick(gpc_t pc, size_t bytes, bool need_near)
{
    for (struct region *r = regions; r; r = r->next) {
        if (r->state == REGION_DRAINING || (need_near && !near(r, pc)))
            continue;
        if (r->state == REGION_FREE)
            reset(r);
        if (space(r) >= bytes)
            return r;
    }
    return NULL;
}

/* Where it is noted for the GiB that pc is in that no place near its code was found, so that nobody looks again. */
static bool *no_place_near(gpc_t pc)
{
    static bool failed[4096];
    return &failed[(pc >> 30) * 0x9e3779b1u >> 20 & 4095];
}

static bool is_first(gpc_t pc)
{
    const struct region *r = regions;
    while (r && !near(r, pc))
        r = r->next;
    return !r && !options.tool && region_bytes > REGION_FIRST_BYTES;
}

static struct region *create_near(gpc_t pc)
{
    if (!may_grow() || *no_place_near(pc))
        return NULL;
    u64 usual = region_bytes;
    region_bytes = is_first(pc) ? REGION_FIRST_BYTES : usual;
    struct region *r = create(place_near(pc));
    region_bytes = usual;
    *no_place_near(pc) = r == NULL;
    return r;
}

/* Tries smaller regions when memory is short. */
static struct region *create_anywhere(size_t bytes)
{
    struct region *r = create(map_anywhere());
    while (!r && region_bytes / 2 >= REGION_SHORT_BYTES && region_bytes / 4 >= bytes) {
        region_bytes = PAGE_DOWN(region_bytes / 2);
        r = create(map_anywhere());
    }
    return r;
}

struct region *region_beyond_limit(void)
{
    return create(map_anywhere());
}

struct region *region_for(gpc_t pc, size_t bytes)
{
    struct region *r = pick(pc, bytes, true);
    if (!r)
        r = create_near(pc);
    if (!r)
        r = pick(pc, bytes, false);
    if (!r && may_grow())
        r = create_anywhere(bytes);
    return r && space(r) >= bytes ? r : NULL;
}

void region_add_item(struct region *r, u8 *start, struct trace *t, enum item_kind kind)
{
    ASSERT(r->nitems < r->items_cap);
    r->items[r->nitems] = (struct packed_item){(u32)(start - r->base), t->number & 0x3fffffff, kind};
    __atomic_store_n(&r->nitems, r->nitems + 1, __ATOMIC_RELEASE);
}

struct region *region_of(const void *pc)
{
    for (struct region *r = __atomic_load_n(&regions, __ATOMIC_ACQUIRE); r; r = r->next)
        if ((u8 *)pc >= r->base && (u8 *)pc < r->end)
            return r;
    return NULL;
}

struct code_item region_item(const struct region *r, u32 i)
{
    struct packed_item p = r->items[i];
    return (struct code_item){r->base + p.off, trace_get(p.trace), p.kind};
}

struct code_item region_find_item(const struct region *r, const void *pc)
{
    u32 lo = 0, hi = __atomic_load_n(&r->nitems, __ATOMIC_ACQUIRE), off = (u32)((const u8 *)pc - r->base);
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (r->items[mid].off <= off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? region_item(r, lo - 1) : (struct code_item){0};
}

void region_drain_all(u64 epoch)
{
    for (struct region *r = regions; r; r = r->next)
        if (r->state == REGION_ACTIVE && r->nitems) {
            r->state = REGION_DRAINING;
            r->drain_epoch = epoch;
        }
}

void region_drain(struct region *r, u64 epoch)
{
    r->state = REGION_DRAINING;
    r->drain_epoch = epoch;
}

static u64 used(const struct region *r) { return (u64)(r->code_next - r->code_start) + (u64)(r->end - r->stub_next); }

bool region_has_room(gpc_t pc, size_t bytes)
{
    return pick(pc, bytes, true) || (*no_place_near(pc) && pick(pc, bytes, false));
}

struct region *region_mostly_dead(void)
{
    for (struct region *r = regions; r; r = r->next)
        if (r->state == REGION_ACTIVE && used(r) > (u64)(r->end - r->base) / 2 && r->dead_bytes > used(r) / 2)
            return r;
    return NULL;
}

static void empty(struct region *r)
{
    records_free(&r->records);
    r->nitems = 0;
    r->state = REGION_FREE;
}

void region_reclaim(u64 oldest_epoch)
{
    for (struct region *r = regions; r; r = r->next)
        if (r->state == REGION_DRAINING && oldest_epoch >= r->drain_epoch)
            empty(r);
}

u64 region_reserved_bytes(void) { return total; }
u64 region_limit(void) { return limit; }
u64 region_block_bytes(void) { return region_bytes; }

bool region_set_limit(u64 bytes)
{
    if (bytes && bytes < total)
        return false;
    limit = bytes;
    return true;
}

bool region_set_block_bytes(u64 bytes)
{
    if (bytes < least_bytes || bytes > REACH / 2 || bytes > arch_info.branch_reach)
        return false;
    region_bytes = PAGE_UP(bytes);
    return true;
}

bool region_add_block(u64 bytes)
{
    u64 usual = region_bytes;
    if (!region_set_block_bytes(bytes))
        return false;
    bool made = may_grow() && create(map_anywhere());
    region_bytes = usual;
    return made;
}

u64 region_used_bytes(void)
{
    u64 n = 0;
    for (struct region *r = regions; r; r = r->next)
        if (r->state == REGION_ACTIVE)
            n += (u64)(r->code_next - r->base) + (u64)(r->end - r->stub_next);
    return n;
}

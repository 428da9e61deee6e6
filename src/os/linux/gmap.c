/* SPDX-License-Identifier: Apache-2.0
 * The guest's mappings as the guest believes them to be (E15). Owns the set of areas and its lock; makes no mapping
 * itself. Readers run side by side; changes come from the memory system calls, after the kernel has carried them out.
 * Called in host mode only, never from a signal handler that interrupted host code.
 *
 *  GM1  Areas are sorted and disjoint, and no two neighbours could be one (can_join).
 *  GM2  They are kept in chunks of at most CHUNK_AREAS, the chunks in a directory sorted by their first address; no
 *       chunk is empty. A change in the middle of 60000 areas moves half a chunk, and once in a while half of a
 *       directory of 1000 entries. */
#include "os/gmap.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/linux/mapsfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_AREAS 128u
#define RWX (GMAP_READ | GMAP_WRITE | GMAP_EXEC)

struct chunk {
    u32 n;
    struct gmap_area area[CHUNK_AREAS];
};

struct entry {
    u64 first; /* chunk->area[0].start */
    struct chunk *chunk;
};

struct cursor {
    u32 chunk, area; /* chunk == nchunks: past the end; else area < chunk's n */
};

static struct hostrwlock lock FORK_WRITES = HOSTLOCK(LOCK_GMAP);
static struct entry *dir;
static u32 nchunks, dir_room;

/* --- areas in chunks ------------------------------------------------------------------------------------------ */

static void *need(void *p)
{
    if (!p)
        hostmem_die("the map of the program's address space");
    return p;
}

static struct gmap_area *at(struct cursor c)
{
    return &dir[c.chunk].chunk->area[c.area];
}

static bool at_end(struct cursor c)
{
    return c.chunk == nchunks;
}

static struct cursor next(struct cursor c)
{
    if (++c.area == dir[c.chunk].chunk->n)
        c = (struct cursor){c.chunk + 1, 0};
    return c;
}

static bool previous(struct cursor c, struct cursor *out)
{
    if (c.area == 0 && c.chunk == 0)
        return false;
    *out = c.area ? (struct cursor){c.chunk, c.area - 1} : (struct cursor){c.chunk - 1, dir[c.chunk - 1].chunk->n - 1};
    return true;
}

/* The first area with end > addr. */
static struct cursor locate(u64 addr)
{
    u32 lo = 0, hi = nchunks;
    while (lo < hi) { /* the first chunk that begins above addr; the one before it may hold addr */
        u32 mid = lo + (hi - lo) / 2;
        if (dir[mid].first > addr)
            hi = mid;
        else
            lo = mid + 1;
    }
    if (lo == 0)
        return (struct cursor){0, 0};
    const struct chunk *k = dir[lo - 1].chunk;
    u32 a = 0, b = k->n;
    while (a < b) {
        u32 mid = a + (b - a) / 2;
        if (k->area[mid].end > addr)
            b = mid;
        else
            a = mid + 1;
    }
    return a < k->n ? (struct cursor){lo - 1, a} : (struct cursor){lo, 0};
}

/* GM2 */
static void insert_chunk(u32 i, struct chunk *k)
{
    if (nchunks == dir_room) {
        dir_room = dir_room ? 2 * dir_room : 64;
        dir = need(realloc(dir, dir_room * sizeof *dir));
    }
    memmove(dir + i + 1, dir + i, (nchunks - i) * sizeof *dir);
    dir[i] = (struct entry){k->n ? k->area[0].start : 0, k};
    nchunks++;
}

static void delete_chunk(u32 i)
{
    free(dir[i].chunk);
    memmove(dir + i, dir + i + 1, (nchunks - i - 1) * sizeof *dir);
    nchunks--;
}

static void split_chunk(u32 i)
{
    struct chunk *k = dir[i].chunk, *upper = need(malloc(sizeof *upper));
    u32 half = k->n / 2;
    upper->n = k->n - half;
    memcpy(upper->area, k->area + half, upper->n * sizeof *upper->area);
    k->n = half;
    insert_chunk(i + 1, upper);
}

/* Finds a place for a new area before c, in a chunk that has room. At the end of the directory it is after the last
 * chunk's areas. */
static struct cursor make_room(struct cursor c)
{
    if (nchunks == 0) {
        struct chunk *k = need(malloc(sizeof *k));
        k->n = 0;
        insert_chunk(0, k);
        return (struct cursor){0, 0};
    }
    if (at_end(c))
        c = (struct cursor){nchunks - 1, dir[nchunks - 1].chunk->n};
    if (dir[c.chunk].chunk->n == CHUNK_AREAS) {
        split_chunk(c.chunk);
        u32 half = dir[c.chunk].chunk->n;
        if (c.area > half)
            c = (struct cursor){c.chunk + 1, c.area - half};
    }
    return c;
}

static struct cursor insert_area(struct cursor c, const struct gmap_area *area)
{
    c = make_room(c);
    struct chunk *k = dir[c.chunk].chunk;
    memmove(k->area + c.area + 1, k->area + c.area, (k->n - c.area) * sizeof *k->area);
    k->area[c.area] = *area;
    k->n++;
    dir[c.chunk].first = k->area[0].start;
    return c;
}

/* Chunks that have become small are joined, so that their number stays in proportion. */
static bool join_chunks(u32 i)
{
    if (i + 1 >= nchunks || dir[i].chunk->n + dir[i + 1].chunk->n > CHUNK_AREAS / 2)
        return false;
    struct chunk *k = dir[i].chunk, *upper = dir[i + 1].chunk;
    memcpy(k->area + k->n, upper->area, upper->n * sizeof *k->area);
    k->n += upper->n;
    delete_chunk(i + 1);
    return true;
}

/* Removes `n` areas of one chunk; returns the cursor to what followed them. */
static struct cursor delete_areas(struct cursor c, u32 n)
{
    struct chunk *k = dir[c.chunk].chunk;
    memmove(k->area + c.area, k->area + c.area + n, (k->n - c.area - n) * sizeof *k->area);
    k->n -= n;
    if (k->n == 0) {
        delete_chunk(c.chunk);
        return (struct cursor){c.chunk, 0};
    }
    dir[c.chunk].first = k->area[0].start;
    bool joined = join_chunks(c.chunk);
    if (c.area == k->n && !joined)
        c = (struct cursor){c.chunk + 1, 0};
    return c;
}

/* --- what an area is ------------------------------------------------------------------------------------------- */

/* GM1 */
static bool can_join(const struct gmap_area *a, const struct gmap_area *b)
{
    return a->end == b->start && a->flags == b->flags && a->ino == b->ino && a->dev_major == b->dev_major &&
           a->dev_minor == b->dev_minor && (a->ino == 0 || a->off + (a->end - a->start) == b->off);
}

static struct gmap_area clip(const struct gmap_area *a, u64 start, u64 end)
{
    struct gmap_area out = *a;
    if (out.start < start) {
        out.off += out.ino ? start - out.start : 0;
        out.start = start;
    }
    out.end = out.end > end ? end : out.end;
    return out;
}

/* Makes addr a border between areas. */
static void split_at(u64 addr)
{
    struct cursor c = locate(addr);
    if (at_end(c) || at(c)->start >= addr)
        return;
    struct gmap_area upper = clip(at(c), addr, at(c)->end);
    at(c)->end = addr;
    c = next(c);
    insert_area(c, &upper);
}

/* Joins the area at c with the one before it, if they can be one. Returns the cursor to the area that holds what was
 * at c. */
static struct cursor join_down(struct cursor c)
{
    struct cursor p;
    if (at_end(c) || !previous(c, &p) || !can_join(at(p), at(c)))
        return c;
    at(p)->end = at(c)->end;
    u64 start = at(p)->start;
    delete_areas(c, 1);
    return locate(start);
}

static void erase_range(u64 start, u64 end)
{
    split_at(start);
    split_at(end);
    struct cursor c = locate(start);
    while (!at_end(c) && at(c)->start < end) {
        const struct chunk *k = dir[c.chunk].chunk;
        u32 n = 1;
        while (c.area + n < k->n && k->area[c.area + n].start < end)
            n++;
        c = delete_areas(c, n);
    }
}

static void add(const struct gmap_area *area)
{
    if (area->start >= area->end)
        return;
    struct gmap_area a = *area;
    a.off = a.ino ? a.off : 0;
    erase_range(a.start, a.end);
    insert_area(locate(a.start), &a);
    join_down(locate(a.end));
    join_down(locate(a.start));
}

/* --- interface -------------------------------------------------------------------------------------------------- */

void gmap_add(const struct gmap_area *area)
{
    hostrw_write(&lock);
    add(area);
    hostrw_write_done(&lock);
}

void gmap_remove(u64 start, u64 end)
{
    hostrw_write(&lock);
    if (start < end)
        erase_range(start, end);
    hostrw_write_done(&lock);
}

void gmap_protect(u64 start, u64 end, u32 rwx)
{
    hostrw_write(&lock);
    if (start < end) {
        split_at(start);
        split_at(end);
        struct cursor c = locate(start);
        for (; !at_end(c) && at(c)->start < end; c = next(c)) {
            at(c)->flags = (at(c)->flags & ~(u32)RWX) | (rwx & RWX);
            c = join_down(c);
        }
        join_down(c);
    }
    hostrw_write_done(&lock);
}

/* Copies of the areas in a range, cut to it. The caller frees it. */
static struct gmap_area *copy_range(u64 start, u64 end, size_t *n)
{
    size_t room = 16;
    struct gmap_area *copy = need(malloc(room * sizeof *copy));
    *n = 0;
    for (struct cursor c = locate(start); !at_end(c) && at(c)->start < end; c = next(c)) {
        if (*n == room)
            copy = need(realloc(copy, (room *= 2) * sizeof *copy));
        copy[(*n)++] = clip(at(c), start, end);
    }
    return copy;
}

void gmap_move(u64 old, u64 old_bytes, u64 new_addr, u64 new_bytes, bool keep_old)
{
    hostrw_write(&lock);
    size_t n;
    /* old_bytes 0: a second mapping of the shared area at old, of the new size. */
    u64 bytes = old_bytes ? old_bytes : new_bytes;
    struct gmap_area *moved = copy_range(old, old + bytes, &n);
    if (old_bytes && !keep_old)
        erase_range(old, old + old_bytes);
    for (size_t i = 0; i < n; i++) {
        /* What lies where a hole of the moved range would go stays (Linux 6.17 moves several mappings at once). */
        struct gmap_area a = moved[i];
        bool last = i + 1 == n;
        a.start = a.start - old + new_addr;
        a.end = last && (new_bytes > bytes || !old_bytes) ? new_addr + new_bytes : a.end - old + new_addr;
        if (new_addr != old)
            a.flags &= ~(u32)(GMAP_STACK | GMAP_HEAP);
        if (a.start < new_addr + new_bytes) {
            a = clip(&a, new_addr, new_addr + new_bytes);
            add(&a);
        }
    }
    free(moved);
    hostrw_write_done(&lock);
}

bool gmap_next(u64 addr, struct gmap_area *out)
{
    hostrw_read(&lock);
    struct cursor c = locate(addr);
    bool found = !at_end(c);
    if (found)
        *out = *at(c);
    hostrw_read_done(&lock);
    return found;
}

/* Are all pages of the range mapped? The kernel is asked from the top down, because a stack begins at its top. */
static bool is_mapped(u64 start, u64 end)
{
    unsigned char resident[256];
    while (end > start) {
        u64 from = end - start > sizeof resident * PAGE_BYTES ? end - sizeof resident * PAGE_BYTES : start;
        if (mincore((void *)from, end - from, resident) < 0)
            return false;
        end = from;
    }
    return true;
}

/* The kernel grows a stack by itself: takes the pages from addr up to the stack's known start into it, if they are
 * there. */
static bool grow_stack(u64 addr)
{
    struct gmap_area stack;
    u64 page = PAGE_DOWN(addr);
    if (!gmap_next(addr, &stack) || !(stack.flags & GMAP_STACK))
        return false;
    if (stack.start > page && (hostmem_overlaps(page, stack.start) || !is_mapped(page, stack.start)))
        return false;
    hostrw_write(&lock);
    struct cursor c = locate(addr);
    bool same = !at_end(c) && (at(c)->flags & GMAP_STACK) && at(c)->start <= stack.start;
    if (same && at(c)->start > page) {
        at(c)->start = page;
        dir[c.chunk].first = dir[c.chunk].chunk->area[0].start;
    }
    hostrw_write_done(&lock);
    return same;
}

bool gmap_find(u64 addr, struct gmap_area *out)
{
    if (!gmap_next(addr, out))
        return false;
    if (out->start <= addr)
        return true;
    return (out->flags & GMAP_STACK) && grow_stack(addr) && gmap_next(addr, out) && out->start <= addr;
}

/* --- totals ------------------------------------------------------------------------------------------------------- */

static bool is_stack_page(u64 start, u64 end)
{
    struct gmap_area below;
    return !hostmem_overlaps(start, end) && !(gmap_next(start, &below) && below.start < end) && is_mapped(start, end);
}

/* Takes in what the kernel has added to a stack. This costs one question to the kernel when it has added nothing. */
static void sync_stack(const struct gmap_area *stack)
{
    struct gmap_area grown;
    u64 low = stack->start;
    if (!is_stack_page(low - PAGE_BYTES, low))
        return;
    for (u64 step = 256 * PAGE_BYTES; step >= PAGE_BYTES; step /= 2)
        while (is_stack_page(low - step, low))
            low -= step;
    gmap_find(low, &grown);
}

void gmap_totals(struct gmap_totals *out)
{
    struct gmap_area a;
    for (u64 from = 0; gmap_next(from, &a); from = a.end)
        if (a.flags & GMAP_STACK && a.start > 256 * PAGE_BYTES)
            sync_stack(&a);
    *out = (struct gmap_totals){0, 0};
    hostrw_read(&lock);
    for (u32 i = 0; i < nchunks; i++)
        for (u32 k = 0; k < dir[i].chunk->n; k++) {
            const struct gmap_area *g = &dir[i].chunk->area[k];
            out->all_bytes += g->flags & GMAP_VSYSCALL ? 0 : g->end - g->start; /* the kernel's own page */
            out->data_bytes += gmap_is_data(g->flags) ? g->end - g->start : 0;
        }
    hostrw_read_done(&lock);
}

u64 gmap_bytes_in(u64 start, u64 end)
{
    u64 sum = 0;
    hostrw_read(&lock);
    for (struct cursor c = locate(start); !at_end(c) && at(c)->start < end; c = next(c)) {
        struct gmap_area part = clip(at(c), start, end);
        sum += part.end - part.start;
    }
    hostrw_read_done(&lock);
    return sum;
}

/* --- start and fork ----------------------------------------------------------------------------------------------- */

static u32 flags_of(const struct maps_area *m)
{
    static const struct {
        const char *name;
        u32 flag;
    } special[] = {{"[stack]", GMAP_STACK}, {"[heap]", GMAP_HEAP}, {"[vdso]", GMAP_VDSO},
        {"[vsyscall]", GMAP_VSYSCALL}};
    u32 flags = (m->prot & PROT_READ ? GMAP_READ : 0u) | (m->prot & PROT_WRITE ? GMAP_WRITE : 0u) |
                (m->prot & PROT_EXEC ? GMAP_EXEC : 0u) | (m->shared ? GMAP_SHARED : 0u);
    for (size_t i = 0; i < ARRAY_LEN(special); i++)
        if (strcmp(m->name, special[i].name) == 0)
            flags |= special[i].flag;
    return flags;
}

/* The kernel joins host and guest memory that happen to lie side by side: only what is not host is taken. */
static void add_guest_part(const struct maps_area *m, u64 from, u64 to)
{
    struct gmap_area whole = {m->start, m->end, flags_of(m), m->dev_major, m->dev_minor, m->ino, m->off};
    u64 start, end;
    while (from < to) {
        if (!hostmem_next(from, &start, &end) || start > to)
            start = end = to;
        if (start > from) {
            struct gmap_area part = clip(&whole, from, start);
            add(&part);
        }
        from = end;
    }
}

void gmap_init(void)
{
    struct maps_reader r;
    struct maps_area m;
    if (!maps_open(&r, 0))
        die(1, "cannot read /proc/self/maps (error %d); is /proc mounted?", errno);
    hostrw_write(&lock);
    while (nchunks)
        delete_chunk(nchunks - 1);
    u64 start, end;
    bool held = hostmem_placeholder(&start, &end);
    while (maps_next(&r, &m)) {
        bool cut = held && m.start < end && m.end > start;
        add_guest_part(&m, m.start, cut ? start : m.end);
        if (cut)
            add_guest_part(&m, end, m.end);
    }
    hostrw_write_done(&lock);
    maps_close(&r);
}

void gmap_before_fork(void) { hostrw_write(&lock); }

void gmap_after_fork(bool child)
{
    /* Threads that waited in the parent do not exist in the child. */
    if (child)
        hostrw_reset(&lock);
    else
        hostrw_write_done(&lock);
}

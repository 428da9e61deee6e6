/* SPDX-License-Identifier: Apache-2.0
 * The host heap: segments, runs, the central lists of free blocks, and big blocks. Owns all memory that malloc hands
 * out, which comes from hostmem only; hostmalloc.c puts thread caches and the C interface on top.
 *
 * Small blocks (up to SMALL_MAX) have a size class. A run is a few units of a segment, cut into blocks of one class; a
 * segment is SEG_BYTES of memory at a multiple of SEG_BYTES, so that a block's address gives its segment, unit and
 * class. Bigger blocks are mappings of their own with a header that looks like a segment's; a few of medium size are
 * kept for reuse.
 *
 *  H1  A block never lies at a multiple of SEG_BYTES, but for those aligned to it (and NULL): those have their header
 *      in the page before.
 *  H2  Locks are not nested and none is held while hostmem is called (lockrank.h).
 *  H4  A run's `live` counts the blocks that are in use or in thread caches. */
#include "os/linux/hostheap.h"
#include "os/hostlock.h"
#include "os/hostmem.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>

#define BIG_OFFSET 192ul          /* of the user's bytes from the header of a big block */
#define BIG_KEPT 16u
#define BIG_KEPT_BYTES (8ul << 20)     /* a bigger block is unmapped when freed */
#define BIG_KEPT_ALL_BYTES (32ul << 20)

struct run {
    /* Runs of the class that have blocks to give, under the class' lock; so are the fields below. */
    struct run *next, *prev;
    void *free;
    u32 blocks, carved, live; /* blocks of the run; those given out at least once; live: H4 */
    u8 class, units, first;
    bool listed;
};

struct segment {
    struct head head;
    struct segment *next, *prev;
    u32 free_units, failed;   /* a request for `failed` units has found no room, and no units were freed since */
    u8 run_of[UNITS];         /* first unit of the run */
    struct run run[UNITS];    /* by first unit; unit 0 is this header */
};
_Static_assert(sizeof(struct segment) <= UNIT_BYTES, "the header is one unit");
_Static_assert(sizeof(struct head) <= BIG_OFFSET, "the header of a big block");

struct central {
    struct hostlock lock;
    struct run *runs;
} __attribute__((aligned(64)));

/* This thread is amid a fork, and has all locks for it, unless nobody else can have one (fork_alone). */
static __thread u32 fork_depth __attribute__((tls_model("local-exec")));
static __thread bool fork_alone __attribute__((tls_model("local-exec")));

static u8 run_units[CLASSES];
static struct central central[CLASSES] = {[0 ... CLASSES - 1] = {.lock = HOSTLOCK(LOCK_HEAP_CLASS)}};

static u64 mapped_bytes, limit_bytes; /* for blocks; 0: no limit */

static struct hostlock segment_lock FORK_WRITES = HOSTLOCK(LOCK_HEAP_SEGMENT);
static struct segment *segments;
static u32 empty_segments;

static struct hostlock big_lock FORK_WRITES = HOSTLOCK(LOCK_HEAP_BIG);
static struct head *kept[BIG_KEPT]; /* oldest first */
static u32 nkept;
static u64 kept_bytes;

/* The size of a class' runs: the fewest units of which less than a sixteenth is lost and that hold at least four
 * small blocks or one large one. */
static u32 units_for(u32 c)
{
    size_t size = class_bytes(c);
    for (u32 units = 1;; units++) {
        size_t n = units * UNIT_BYTES / size, lost = units * UNIT_BYTES - n * size;
        if (n >= (size > UNIT_BYTES ? 1 : 4) && lost * 16 <= units * UNIT_BYTES)
            return units;
    }
}

void hostheap_init(void)
{
    for (u32 c = 0; c < CLASSES; c++)
        run_units[c] = (u8)units_for(c);
}

static void lock_take(struct hostlock *l)
{
    if (LIKELY(!fork_depth))
        hostlock_take(l);
}

static void lock_give(struct hostlock *l)
{
    if (LIKELY(!fork_depth))
        hostlock_give(l);
}

/* --- mappings ----------------------------------------------------------------------------------------------------- */

u64 hostheap_bytes(void) { return __atomic_load_n(&mapped_bytes, __ATOMIC_RELAXED); }

void hostheap_set_limit(u64 bytes)
{
    __atomic_store_n(&limit_bytes, bytes, __ATOMIC_RELAXED);
}

u64 hostheap_drop_limit(void)
{
    return __atomic_exchange_n(&limit_bytes, 0, __ATOMIC_RELAXED);
}

/* Counts bytes before they are mapped; false: that would be more than the limit. */
static bool count_more(u64 bytes)
{
    u64 limit = __atomic_load_n(&limit_bytes, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&mapped_bytes, bytes, __ATOMIC_RELAXED) <= limit || !limit)
        return true;
    __atomic_sub_fetch(&mapped_bytes, bytes, __ATOMIC_RELAXED);
    return false;
}

static void count_less(u64 bytes)
{
    __atomic_sub_fetch(&mapped_bytes, bytes, __ATOMIC_RELAXED);
}

/* No lock is held here (H2). */
static void *heap_map(size_t bytes, size_t align)
{
    if (!count_more(bytes))
        return NULL;
    void *p = hostmem_map_aligned(bytes, align, PROT_READ | PROT_WRITE);
    if (!p)
        count_less(bytes);
    return p;
}

static void heap_unmap(void *p, size_t bytes)
{
    hostmem_unmap(p, bytes);
    count_less(bytes);
}

static void *heap_grow(void *old, size_t old_bytes, size_t new_bytes, size_t align)
{
    if (!count_more(new_bytes - old_bytes))
        return NULL;
    void *p = hostmem_grow(old, old_bytes, new_bytes, align);
    if (!p)
        count_less(new_bytes - old_bytes);
    return p;
}

/* --- segments and runs -------------------------------------------------------------------------------------------- */

static struct segment *segment_new(void)
{
    struct segment *s = heap_map(SEG_BYTES, SEG_BYTES);
    if (!s)
        return NULL;
    s->head.magic = HEAD_MAGIC;
    memset(s->head.class_of, CLASS_FREE, UNITS);
    s->free_units = UNITS - 1;
    s->failed = UNITS;
    return s;
}

/* Memory outside of a range that the user has named (M7) is not handed out again. */
static bool usable(const void *p) { return LIKELY(hostmem_usual_place((u64)p)); }

/* Finds `units` free units in a row; 0: none. */
static u32 find_units(const struct segment *s, u32 units)
{
    for (u32 i = 1, row = 0; i < UNITS; i++) {
        row = s->head.class_of[i] == CLASS_FREE ? row + 1 : 0;
        if (row == units)
            return i + 1 - units;
    }
    return 0;
}

static struct run *claim_units(struct segment *s, u32 c, u32 first)
{
    u32 units = run_units[c];
    empty_segments -= s->free_units == UNITS - 1;
    s->free_units -= units;
    memset(s->head.class_of + first, (int)c, units);
    memset(s->run_of + first, (int)first, units);
    struct run *r = &s->run[first];
    *r = (struct run){.blocks = (u32)(units * UNIT_BYTES / class_bytes(c)), .class = (u8)c, .units = (u8)units,
        .first = (u8)first};
    return r;
}

static struct run *run_from_segments(u32 c)
{
    u32 units = run_units[c];
    for (struct segment *s = segments; s; s = s->next) {
        if (s->free_units < units || s->failed <= units || !usable(s))
            continue;
        u32 first = find_units(s, units);
        if (first)
            return claim_units(s, c, first);
        s->failed = units;
    }
    return NULL;
}

static void link_segment(struct segment *s)
{
    s->next = segments;
    s->prev = NULL;
    if (segments)
        segments->prev = s;
    segments = s;
    empty_segments++;
}

static struct run *run_new(u32 c)
{
    lock_take(&segment_lock);
    struct run *r = run_from_segments(c);
    lock_give(&segment_lock);
    if (r)
        return r;
    struct segment *s = segment_new();
    if (!s)
        return NULL;
    lock_take(&segment_lock);
    link_segment(s);
    r = claim_units(s, c, 1);
    lock_give(&segment_lock);
    return r;
}

/* An empty segment goes back to the system if there is another empty one. */
static void run_delete(struct run *r)
{
    struct segment *s = (struct segment *)((u64)r & ~SEG_MASK);
    lock_take(&segment_lock);
    memset(s->head.class_of + r->first, CLASS_FREE, r->units);
    s->free_units += r->units;
    s->failed = UNITS;
    bool drop = s->free_units == UNITS - 1 && empty_segments++ > 0;
    if (drop) {
        empty_segments--;
        *(s->prev ? &s->prev->next : &segments) = s->next;
        if (s->next)
            s->next->prev = s->prev;
    }
    lock_give(&segment_lock);
    if (drop)
        heap_unmap(s, SEG_BYTES);
}

/* --- central lists ------------------------------------------------------------------------------------------------ */

static void list_run(struct central *k, struct run *r)
{
    r->next = k->runs;
    r->prev = NULL;
    if (k->runs)
        k->runs->prev = r;
    k->runs = r;
    r->listed = true;
}

static void unlist_run(struct central *k, struct run *r)
{
    *(r->prev ? &r->prev->next : &k->runs) = r->next;
    if (r->next)
        r->next->prev = r->prev;
    r->listed = false;
}

static void *run_block(struct run *r, u32 i)
{
    u64 seg = (u64)r & ~SEG_MASK;
    return (void *)(seg + r->first * UNIT_BYTES + i * class_bytes(r->class));
}

/* Puts up to `want` blocks of the run before *list. */
static u32 run_take(struct run *r, u32 want, void **list)
{
    u32 got = 0;
    for (; got < want && (r->free || r->carved < r->blocks); got++) {
        void **p = r->free;
        if (p)
            r->free = *p;
        else
            p = run_block(r, r->carved++);
        *p = *list;
        *list = p;
    }
    r->live += got;
    return got;
}

u32 hostheap_take(u32 c, u32 want, void **list)
{
    struct central *k = &central[c];
    u32 got = 0;
    *list = NULL;
    lock_take(&k->lock);
    while (got < want) {
        if (!k->runs) {
            lock_give(&k->lock);
            struct run *fresh = got ? NULL : run_new(c);
            if (!fresh)
                return got;
            lock_take(&k->lock);
            list_run(k, fresh);
        }
        struct run *r = k->runs;
        got += run_take(r, want - got, list);
        if (!r->free && r->carved == r->blocks)
            unlist_run(k, r);
    }
    lock_give(&k->lock);
    return got;
}

void hostheap_confined(void)
{
    for (u32 c = 0; c < CLASSES; c++) {
        lock_take(&central[c].lock);
        for (struct run *r = central[c].runs, *next; r; r = next) {
            next = r->next;
            unlist_run(&central[c], r);
        }
        lock_give(&central[c].lock);
    }
}

/* Gives a list of blocks back. Runs that are wholly free are given up, except the last one that has blocks to give. */
void hostheap_give(u32 c, void *list)
{
    struct central *k = &central[c];
    struct run *gone = NULL;
    lock_take(&k->lock);
    while (list) {
        void **p = list;
        list = *p;
        struct segment *s = (struct segment *)head_of(p);
        struct run *r = &s->run[s->run_of[unit_of(p)]];
        *p = r->free;
        r->free = p;
        if (!r->listed && usable(r))
            list_run(k, r);
        if (--r->live == 0 && r->listed && (r->next || r->prev)) {
            unlist_run(k, r);
            r->next = gone;
            gone = r;
        }
    }
    lock_give(&k->lock);
    while (gone) {
        struct run *r = gone;
        gone = r->next;
        run_delete(r);
    }
}

/* --- big blocks --------------------------------------------------------------------------------------------------- */

static struct head *kept_take(u64 bytes)
{
    struct head *best = NULL;
    lock_take(&big_lock);
    u32 at = 0;
    for (u32 i = 0; i < nkept; i++) {
        u64 b = kept[i]->bytes;
        if (usable(kept[i]) && b >= bytes && b <= bytes + bytes / 4 && (!best || b < best->bytes)) {
            best = kept[i];
            at = i;
        }
    }
    if (best) {
        memmove(kept + at, kept + at + 1, (--nkept - at) * sizeof *kept);
        kept_bytes -= best->bytes;
    }
    lock_give(&big_lock);
    return best;
}

/* Keeps h for reuse, and unmaps what has to go for that, perhaps h itself. */
void hostheap_big_free(struct head *h)
{
    struct head *gone[BIG_KEPT + 1];
    u32 n = 0;
    if (h->bytes > BIG_KEPT_BYTES || h->offset != BIG_OFFSET) {
        heap_unmap((void *)h->base, h->bytes);
        return;
    }
    lock_take(&big_lock);
    while (nkept == BIG_KEPT || (nkept && kept_bytes + h->bytes > BIG_KEPT_ALL_BYTES)) {
        gone[n++] = kept[0];
        kept_bytes -= kept[0]->bytes;
        memmove(kept, kept + 1, --nkept * sizeof *kept);
    }
    kept[nkept++] = h;
    kept_bytes += h->bytes;
    lock_give(&big_lock);
    while (n--)
        heap_unmap((void *)gone[n]->base, gone[n]->bytes);
}

static void *big_head(u64 where, u64 base, u64 bytes, u64 offset)
{
    struct head *h = (struct head *)where;
    h->magic = HEAD_MAGIC;
    h->base = base;
    h->bytes = bytes;
    h->offset = offset;
    memset(h->class_of, CLASS_BIG, sizeof h->class_of);
    return (void *)(base + offset);
}

/* Alignments of a segment and more (H1): a header page, then the user's bytes. */
static void *big_new_wide(size_t bytes, size_t align)
{
    u64 total = align + PAGE_UP(bytes), skip = align - PAGE_BYTES;
    void *p = heap_map(total, align);
    if (!p)
        return NULL;
    heap_unmap(p, skip);
    u64 base = (u64)p + skip;
    return big_head(base, base, total - skip, PAGE_BYTES);
}

void *hostheap_big_new(size_t bytes, size_t align, bool *zero)
{
    int saved = errno;
    u64 offset = align > BIG_OFFSET ? align : align > 64 ? 2 * align : BIG_OFFSET;
    void *p = NULL;
    *zero = false;
    if (bytes < SIZE_LIMIT / 2 && align < SIZE_LIMIT / 4) {
        u64 total = PAGE_UP(bytes + offset);
        struct head *h = offset == BIG_OFFSET ? kept_take(total) : NULL;
        if (h)
            return (u8 *)h + BIG_OFFSET;
        *zero = true;
        if (align >= SEG_BYTES)
            p = big_new_wide(bytes, align);
        else if ((p = heap_map(total, SEG_BYTES)))
            p = big_head((u64)p, (u64)p, total, offset);
    }
    errno = p ? saved : ENOMEM;
    return p;
}

void *hostheap_big_resize(struct head *h, size_t bytes)
{
    if (bytes > SIZE_LIMIT / 2)
        return NULL;
    u64 total = PAGE_UP(bytes + h->offset);
    if (total <= h->bytes && total >= h->bytes / 2)
        return (void *)(h->base + h->offset);
    if (h->offset != BIG_OFFSET || bytes <= SMALL_MAX)
        return NULL;
    if (total < h->bytes) {
        heap_unmap((void *)(h->base + total), h->bytes - total);
        h->bytes = total;
        return (void *)(h->base + h->offset);
    }
    struct head *moved = heap_grow(h, h->bytes, total, SEG_BYTES);
    return moved ? big_head((u64)moved, (u64)moved, total, BIG_OFFSET) : NULL;
}

/* --- fork --------------------------------------------------------------------------------------------------------- */

static void all_locks(void (*op)(struct hostlock *))
{
    for (u32 c = 0; c < CLASSES; c++)
        op(&central[c].lock);
    op(&segment_lock);
    op(&big_lock);
}

void hostheap_before_fork(void)
{
    if (fork_depth == 0)
        fork_alone = __libc_single_threaded; /* libc has never made a thread */
    if (fork_depth++ == 0 && !fork_alone)
        all_locks(hostlock_take);
}

void hostheap_after_fork(bool child)
{
    ASSERT(fork_depth > 0);
    if (--fork_depth == 0 && !fork_alone)
        all_locks(child ? hostlock_reset : hostlock_give);
}

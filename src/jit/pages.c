/* SPDX-License-Identifier: Apache-2.0
 * See pages.h. Owns the table of pages, a chained hash. A page stays in it once it was seen, because its count of write
 * faults decides how it is watched. */
#include "jit/pages.h"
#include "os/hostmem.h"

#include "os/os.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BUCKETS 16384u
/* A page that is written to this often while it holds translated code is not protected any more: its traces become
 * checked. A program that writes code as it runs, fills a page with one small function after the other and patches its
 * jumps later comes to about 20 writes, and then leaves the page alone; checks there would cost for good (with a limit
 * of 6, qemu was 16 times slower). */
#define MAX_WRITE_FAULTS 32

/* How many pages were seen in each 2 MiB of the address space, by a hash of the address. */
#define CHUNK_BYTES (2ul << 20)
#define CHUNKS 65536u

typedef void trace_fn(struct trace *);
typedef void page_fn(struct page *, u64 start, u64 end, trace_fn *);

bool pages_watched = true;
static struct page *bucket[BUCKETS];
static u32 chunk_pages[CHUNKS];
static u32 npages, nprotected;

static u32 *chunk_of(u64 addr) { return &chunk_pages[addr / CHUNK_BYTES % CHUNKS]; }

/* Pages beside each other have buckets beside each other: code of a small program is then in few pages of the table. */
static struct page **bucket_of(u64 addr)
{
    return &bucket[((addr >> 12) + (addr >> 26) * 0x9e3779b1u) & (BUCKETS - 1)];
}

struct page *pages_find(u64 addr)
{
    addr = PAGE_DOWN(addr);
    for (struct page *p = __atomic_load_n(bucket_of(addr), __ATOMIC_ACQUIRE); p; p = p->next)
        if (p->addr == addr)
            return p;
    return NULL;
}

void pages_prefetch(u64 addr) { __builtin_prefetch(bucket_of(addr)); }

/* Under jit_lock. Most traces are made in the page of the one before. */
static struct page *get(u64 addr)
{
    static struct page *last;
    if (last && last->addr == PAGE_DOWN(addr))
        return last;
    struct page *p = pages_find(addr);
    if (p)
        return last = p;
    p = calloc(1, sizeof *p);
    if (!p)
        hostmem_die("the table of code pages");
    p->addr = PAGE_DOWN(addr);
    struct page **b = bucket_of(p->addr);
    p->next = *b;
    __atomic_store_n(b, p, __ATOMIC_RELEASE);
    ++*chunk_of(p->addr);
    npages++;
    return last = p;
}

static int kernel_prot(u32 flags)
{
    return (flags & GMAP_READ ? PROT_READ : 0) | (flags & GMAP_WRITE ? PROT_WRITE : 0) |
           (flags & GMAP_EXEC ? PROT_EXEC : 0);
}

static void protect(struct page *p, const struct gmap_area *area)
{
    if (p->protected)
        return;
    if (mprotect((void *)p->addr, PAGE_BYTES, kernel_prot(area->flags) & ~PROT_WRITE)) {
        p->checked = true; /* the kernel refuses to protect it: its traces are checked instead */
        return;
    }
    p->protected = true;
    if (nprotected++ == 0)
        os_watch_kernel_writes();
}

static void give_back(const struct page *p)
{
    struct gmap_area area;
    if (gmap_find(p->addr, &area))
        mprotect((void *)p->addr, PAGE_BYTES, kernel_prot(area.flags));
}

static void unprotect(struct page *p)
{
    if (!p->protected)
        return;
    p->protected = false;
    nprotected--;
    give_back(p);
}

bool pages_open(u64 addr)
{
    struct page *p = pages_find(addr);
    if (!p)
        return false;
    give_back(p);
    __atomic_store_n(&p->opened, true, __ATOMIC_RELEASE); /* not before: the page may be protected again meanwhile */
    return true;
}

void pages_each_opened(void (*f)(struct page *))
{
    for (u32 i = 0; i < BUCKETS; i++)
        for (struct page *p = bucket[i]; p; p = p->next)
            if (__atomic_exchange_n(&p->opened, false, __ATOMIC_ACQ_REL))
                f(p);
}

bool pages_watch(u64 addr, const struct gmap_area *area)
{
    struct page *p = get(addr);
    if (UNLIKELY(!pages_watched))
        return false;
    if (area->flags & GMAP_SHARED)
        p->checked = true;
    else if (!(area->flags & GMAP_WRITE))
        p->checked = false;
    else if (!p->checked && !(p->checked = os_kernel_writes(p->addr)))
        protect(p, area);
    return p->checked;
}

static u32 *part_of(struct page *p, u64 addr) { return &p->first[addr % PAGE_BYTES / (PAGE_BYTES / PAGE_PARTS)]; }

static u64 last_page(const struct trace *t) { return PAGE_DOWN(t->pc + t->guest_bytes - 1); }

void pages_add_trace(struct trace *t)
{
    struct page *p = get(t->pc);
    u32 *first = part_of(p, t->pc);
    t->next_in_page = *first;
    *first = t->number + 1;
    for (u64 a = p->addr + PAGE_BYTES; a <= last_page(t); a += PAGE_BYTES) {
        struct page_use *u = malloc(sizeof *u);
        if (!u)
            hostmem_die("trace records");
        p = get(a);
        *u = (struct page_use){t, p->uses};
        p->uses = u;
    }
}

static void remove_use(struct page *p, const struct trace *t)
{
    struct page_use **at = &p->uses;
    while (*at && (*at)->trace != t)
        at = &(*at)->next;
    struct page_use *u = *at;
    if (u)
        *at = u->next;
    free(u);
}

void pages_remove_trace(struct trace *t)
{
    struct page *p = get(t->pc);
    u32 *at = part_of(p, t->pc);
    while (*at && *at != t->number + 1)
        at = &trace_get(*at - 1)->next_in_page;
    if (*at)
        *at = t->next_in_page;
    for (u64 a = p->addr + PAGE_BYTES; a <= last_page(t); a += PAGE_BYTES)
        remove_use(get(a), t);
}

static void call_for(struct trace *t, u64 start, u64 end, trace_fn *f)
{
    if (t->pc < end && t->pc + t->guest_bytes > start)
        f(t);
}

static void each_in_page(struct page *p, u64 start, u64 end, trace_fn *f)
{
    for (u32 i = 0; i < PAGE_PARTS; i++)
        for (u32 n = p->first[i]; n;) {
            struct trace *t = trace_get(n - 1);
            n = t->next_in_page;
            call_for(t, start, end, f);
        }
    struct page_use *next;
    for (struct page_use *u = p->uses; u; u = next) {
        next = u->next;
        call_for(u->trace, start, end, f);
    }
}

static void each_page_in_chunk(u64 start, u64 end, page_fn *f, trace_fn *g)
{
    for (u64 a = PAGE_DOWN(start); a < end; a += PAGE_BYTES) {
        struct page *p = pages_find(a);
        if (p)
            f(p, start, end, g);
    }
}

/* Most ranges that programs map and unmap never held code: for them one look for each 2 MiB is enough. */
static void each_page(u64 start, u64 end, page_fn *f, trace_fn *g)
{
    if ((end - start) / CHUNK_BYTES < CHUNKS) {
        for (u64 a = start & ~(CHUNK_BYTES - 1); a < end; a += CHUNK_BYTES)
            if (*chunk_of(a))
                each_page_in_chunk(a > start ? a : start, a + CHUNK_BYTES < end ? a + CHUNK_BYTES : end, f, g);
        return;
    }
    for (u32 i = 0; i < BUCKETS; i++)
        for (struct page *p = bucket[i]; p; p = p->next)
            if (p->addr < end && p->addr + PAGE_BYTES > start)
                f(p, start, end, g);
}

void pages_each_trace(u64 start, u64 end, trace_fn *f) { each_page(start, end, each_in_page, f); }

static void unprotect_one(struct page *p, u64 start, u64 end, trace_fn *f)
{
    (void)start, (void)end, (void)f;
    unprotect(p);
}

void pages_unprotect(u64 start, u64 end) { each_page(start, end, unprotect_one, NULL); }

void pages_forget_traces(void)
{
    for (u32 i = 0; i < BUCKETS; i++)
        for (struct page *p = bucket[i]; p; p = p->next) {
            memset(p->first, 0, sizeof p->first);
            while (p->uses) {
                struct page_use *u = p->uses;
                p->uses = u->next;
                free(u);
            }
        }
}

u64 pages_bytes(void) { return npages * sizeof(struct page) + sizeof bucket; }

u32 pages_protected_count(void) { return __atomic_load_n(&nprotected, __ATOMIC_RELAXED); }

bool pages_written(struct page *p)
{
    if (++p->write_faults > MAX_WRITE_FAULTS)
        p->checked = true;
    return p->checked;
}

/* SPDX-License-Identifier: Apache-2.0
 * Host memory (E17): makes, moves and unmaps the engine's own mappings and keeps the registry of all host ranges. The
 * only file that maps memory for the host. Never uses malloc (which is built on it) and never touches guest mappings.
 *
 * The set of ranges is in hostranges.c, with rules M1 and M2.
 *
 *  M3  A range is in the registry as long as it is mapped: mmap, munmap and the registry's change are under one hold of
 *      the lock. Therefore a rescan, which reads the kernel's view under the lock, may drop what the kernel does not
 *      show.
 *  M4  Everything works before hostmem_init: the first mapping is where the kernel puts it (the placeholder keeps it
 *      out of the guest's area), and the zone grows down from there.
 *  M5  The reserve is address space that the engine has from the start on, without pages and most of it without rights.
 *      It serves when the kernel has none left, or no mappings. It is in the registry as a whole, and what is given
 *      back to it stays there. Where the tool limits memory it goes (L3), because it would count.
 *  M6  What the host's libraries and tools map themselves comes through hostmem_library_call (hostcalls.c), so it is in
 *      the registry from the first moment on. Therefore nothing is mapped here by libc's functions.
 *  M7  Where the user names a range (-pin_memory_range) all that is mapped from then on without a place of its own is
 *      there, and memory has run out when that is full. There is no reserve then. */
#include "os/hostmem.h"
#include "arch/arch.h"
#include "os/gmap.h"
#include "os/hostlock.h"
#include "os/linux/freelist.h"
#include "os/linux/mapsfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MAP_32BIT /* x86 has it */
#define MAP_32BIT 0
#endif

#define ZONE_FLOOR (1ul << 32)            /* the low 4 GiB are for code near non-PIE programs (E5) */
/* A host mapping closer than this to the one above belongs to the same heap of mappings. */
#define ZONE_NEAR (16ul << 30)
/* Where there is no placeholder, this much address space is left to the guest. */
#define ZONE_DISTANCE (64ul << 30)
/* Address space kept for the engine, which a program that maps all there is cannot take. */
#define RESERVE_BYTES (4ul << 30)
/* Left free above it, so that the first mappings are near the host's libraries: code there must reach its stubs
 * (hostcalls.c), and few pages of page tables serve for all (FK5). */
#define RESERVE_GAP_BYTES (64ul << 20)
#define RESERVE_READY_BYTES (64ul << 20) /* of it, at its upper end: may be touched at once */
#define MAX_TRIES 48
#define LEAST_ADDRESS (64ul << 10)        /* below it the kernel maps nothing */

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_HOSTMEM);
static u64 saved_mask FORK_WRITES;                    /* the holder's signal mask */
static __thread u32 fork_holder;          /* this thread holds the lock for a fork, so many times */

static u64 zone, zone_top;                /* next mapping goes below zone; 0: not known yet (M4) */
static struct freelist holes;             /* freed places of the zone, tried first */
static struct range reserve;              /* M5; empty: none */
static struct freelist spare;             /* what is free of it */
static struct range placeholder;
static struct range confine;              /* M7; empty: anywhere */

/* --- M6 ------------------------------------------------------------------------------------------------------- */

static s64 answer(s64 r)
{
    if (r >= 0 || r < -4095)
        return r;
    errno = (int)-r;
    return -1;
}

static void *map_raw(u64 addr, u64 bytes, int prot, int flags)
{
    return (void *)answer(arch_raw_syscall(SYS_mmap, addr, bytes, (u64)prot, (u64)flags, (u64)-1, 0));
}

static int unmap_raw(u64 addr, u64 bytes) { return (int)answer(arch_raw_syscall(SYS_munmap, addr, bytes, 0, 0, 0, 0)); }

static void *remap_raw(u64 old, u64 old_bytes, u64 new_bytes, int flags, u64 to)
{
    return (void *)answer(arch_raw_syscall(SYS_mremap, old, old_bytes, new_bytes, (u64)flags, to, 0));
}

/* --- lock and registry -------------------------------------------------------------------------------------- */

static void take(void)
{
    if (fork_holder)
        return;
    u64 all = ~0ul, old;
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, (u64)&old, sizeof old, 0, 0);
    hostlock_take(&lock);
    saved_mask = old;
}

static void give(void)
{
    if (fork_holder)
        return;
    u64 old = saved_mask;
    hostlock_give(&lock);
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&old, 0, sizeof old, 0, 0);
}

/* Without a look at signals: a handler that comes while a guest's system call is carried out wants no memory. */
void hostmem_hold(void) { hostlock_take(&lock); }
void hostmem_release(void) { hostlock_give(&lock); }

bool hostmem_next(u64 addr, u64 *start, u64 *end)
{
    return hostranges_next(addr, start, end);
}

bool hostmem_overlaps(u64 start, u64 end)
{
    u64 s, e;
    return hostranges_next(start, &s, &e) && s < end;
}

u64 hostmem_total_bytes(void)
{
    take();
    u64 sum = hostranges_total_bytes() - freelist_bytes(&spare);
    give();
    return sum;
}

void hostmem_keep_from_core(void)
{
    for (u64 start, end = 0; hostmem_next(end, &start, &end);)
        madvise((void *)start, end - start, MADV_DONTDUMP);
}

static u64 present_bytes(int pagemap, u64 start, u64 end)
{
    u64 word[512], sum = 0;
    while (start < end) {
        u64 n = (end - start) / PAGE_BYTES < ARRAY_LEN(word) ? (end - start) / PAGE_BYTES : ARRAY_LEN(word);
        ssize_t got = pread(pagemap, word, n * sizeof word[0], (off_t)(start / PAGE_BYTES * sizeof word[0]));
        if (got <= 0)
            break;
        for (u64 i = 0; i < (u64)got / sizeof word[0]; i++)
            sum += word[i] >> 63 ? PAGE_BYTES : 0;
        start += (u64)got / sizeof word[0] * PAGE_BYTES;
    }
    return sum;
}

u64 hostmem_resident_bytes(u64 start, u64 end)
{
    u64 sum = 0, s, e;
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    for (u64 at = start; pagemap >= 0 && at < end && hostmem_next(at, &s, &e) && s < end; at = e)
        sum += present_bytes(pagemap, s > at ? s : at, e < end ? e : end);
    if (pagemap >= 0)
        close(pagemap);
    return sum;
}

/* --- the zone ------------------------------------------------------------------------------------------------ */

/* A free place of the zone, which is given back to the zone when it is its lowest part. */
static void add_hole(u64 start, u64 end)
{
    if (start < zone || end > zone_top)
        return;
    struct range r = freelist_add(&holes, start, end, zone);
    if (r.start == zone)
        zone = r.end;
}

static bool map_exact(u64 addr, size_t bytes, int prot)
{
    void *p = map_raw(addr, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE);
    if (p == (void *)addr)
        return true;
    if (p != MAP_FAILED) { /* a kernel before 4.17 takes the address as a hint */
        unmap_raw((u64)p, bytes);
        errno = EEXIST;
    }
    return false;
}

static u64 map_in_hole(size_t bytes, size_t align, int prot)
{
    struct range h;
    u64 at;
    while (freelist_best(&holes, bytes, align, false, &h, &at)) {
        if (!map_exact(at, bytes, prot))
            continue; /* the guest has it by now */
        if (h.start < at)
            add_hole(h.start, at);
        if (at + bytes < h.end)
            add_hole(at + bytes, h.end);
        return at;
    }
    return 0;
}

/* A range that the user has named may be full of other things: it is looked through to its end. */
static u64 map_below_zone(size_t bytes, size_t align, int prot)
{
    u64 step = 1ul << 20, below = zone, floor = confine.end ? confine.start : ZONE_FLOOR;
    for (int i = 0; (i < MAX_TRIES || confine.end) && below > floor + bytes; i++) {
        u64 at = (below - bytes) & ~(align - 1), old = zone;
        if (at < floor)
            return 0;
        if (map_exact(at, bytes, prot)) {
            zone = at;
            if (below == old && at + bytes < old)
                add_hole(at + bytes, old);
            return at;
        }
        if (errno != EEXIST)
            return 0;
        if (at < step)
            return 0;
        below = at - step;
        step *= confine.end ? 1 : 2;
    }
    return 0;
}

/* Maps wherever the kernel likes, and cuts the mapping to the alignment. */
static u64 map_anywhere(size_t bytes, size_t align, int prot)
{
    size_t slack = align > PAGE_BYTES ? align : 0;
    void *p = map_raw(0, bytes + slack, prot, MAP_PRIVATE | MAP_ANONYMOUS);
    if (p == MAP_FAILED)
        return 0;
    u64 at = ((u64)p + slack) & ~(align - 1);
    if (at > (u64)p)
        unmap_raw((u64)p, at - (u64)p);
    if (at + bytes < (u64)p + bytes + slack)
        unmap_raw(at + bytes, (u64)p + slack - at);
    return at;
}

static u64 place_once(size_t bytes, size_t align, int prot)
{
    u64 at = 0;
    if (zone) {
        at = map_in_hole(bytes, align, prot);
        if (!at)
            at = map_below_zone(bytes, align, prot);
    }
    if (!at && !confine.end)
        at = map_anywhere(bytes, align, prot);
    if (at && !zone) {
        zone = at;
        zone_top = at + bytes;
    }
    return at;
}

/* --- the reserve (M5) ------------------------------------------------------------------------------------------ */

static void make_reserve(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) || r.rlim_cur != RLIM_INFINITY ||
        zone < ZONE_FLOOR + RESERVE_BYTES + RESERVE_GAP_BYTES)
        return;
    u64 above = zone, end = zone - RESERVE_GAP_BYTES, at = end - RESERVE_BYTES;
    if (!map_exact(at, RESERVE_BYTES, PROT_NONE))
        return;
    reserve = (struct range){at, end};
    zone = at;
    add_hole(end, above);
    freelist_add(&spare, reserve.start, reserve.end, 0);
    hostranges_insert(reserve.start, reserve.end);
    if (getrlimit(RLIMIT_DATA, &r) == 0 && r.rlim_cur == RLIM_INFINITY) /* such memory counts there */
        mprotect((void *)(reserve.end - RESERVE_READY_BYTES), RESERVE_READY_BYTES, PROT_READ | PROT_WRITE);
}

/* Code is taken from the lower end, everything else from the upper one, and what lies between the place and that end
 * gets the same rights. So the kernel has what it takes already, or can join it with what is beyond, and needs no
 * further mapping for it: the program may have as many as there can be. */
static u64 take_from_reserve(size_t bytes, size_t align, int prot)
{
    struct range r;
    u64 at;
    bool code = prot & PROT_EXEC;
    if (!freelist_best(&spare, bytes, align, code, &r, &at))
        return 0;
    u64 from = code ? r.start : at, to = code ? at + bytes : r.end;
    bool done = mprotect((void *)from, to - from, prot) == 0;
    if (!done)
        freelist_add(&spare, at, at + bytes, 0);
    if (r.start < at)
        freelist_add(&spare, r.start, at, 0);
    if (at + bytes < r.end)
        freelist_add(&spare, at + bytes, r.end, 0);
    return done ? at : 0;
}

static bool in_reserve(u64 addr) { return addr >= reserve.start && addr < reserve.end; }

/* Empty again; that it can be touched does not matter to anybody. */
static void give_to_reserve(u64 start, u64 end)
{
    madvise((void *)start, end - start, MADV_DONTNEED);
    freelist_add(&spare, start, end, 0);
}

/* Its pages were moved away, and nothing is there. */
static void reserve_again(u64 start, u64 end)
{
    if (map_exact(start, end - start, PROT_NONE))
        freelist_add(&spare, start, end, 0);
    else
        hostranges_erase(start, end);
}

void hostmem_drop_reserve(void)
{
    u32 kept = 0;
    take();
    for (u32 i = 0; i < spare.n; i++) {
        struct range r = spare.at[i];
        if (hostranges_ensure_room() && unmap_raw(r.start, r.end - r.start) == 0)
            hostranges_erase(r.start, r.end);
        else
            spare.at[kept++] = r;
    }
    spare.n = kept;
    give();
}

/* --- M7 -------------------------------------------------------------------------------------------------------- */

void hostmem_confine(u64 start, u64 end)
{
    hostmem_drop_reserve();
    take();
    confine = (struct range){PAGE_UP(start) < LEAST_ADDRESS ? LEAST_ADDRESS : PAGE_UP(start), PAGE_DOWN(end)};
    holes.n = 0;
    zone = zone_top = confine.end;
    give();
}

bool hostmem_usual_place(u64 addr) { return !confine.end || (addr >= confine.start && addr < confine.end); }

/* A mapping of a library's that may be anywhere, but for its images, which have files and code. */
static bool to_confine(u64 nr, const u64 *a)
{
    return confine.end && nr == SYS_mmap && !a[0] && (a[3] & MAP_ANONYMOUS) && !(a[2] & PROT_EXEC) &&
           !(a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT));
}

static s64 map_confined(const u64 *a)
{
    u64 bytes = PAGE_UP(a[1]), at = bytes ? place_once(bytes, PAGE_BYTES, PROT_NONE) : 0;
    if (!at)
        return bytes ? -ENOMEM : -EINVAL;
    return arch_raw_syscall(SYS_mmap, at, a[1], a[2], a[3] | MAP_FIXED, a[4], a[5]);
}

bool (*hostmem_make_room)(void);

static u64 place(size_t bytes, size_t align, int prot)
{
    u64 at = place_once(bytes, align, prot);
    if (!at && hostmem_make_room && hostmem_make_room())
        at = place_once(bytes, align, prot);
    return at || confine.end ? at : take_from_reserve(bytes, align, prot);
}

void (*hostmem_ran_out)(size_t bytes);
static size_t failed_bytes;
bool hostmem_ranges_named;

/* Not called while it runs already, because what is called may want memory, too. */
void hostmem_tell_ran_out(size_t bytes)
{
    static bool telling;
    if (!hostmem_ran_out || __atomic_exchange_n(&telling, true, __ATOMIC_ACQUIRE))
        return;
    hostmem_ran_out(bytes);
    __atomic_store_n(&telling, false, __ATOMIC_RELEASE);
}

void hostmem_die(const char *what)
{
    hostmem_tell_ran_out(failed_bytes);
    hostmem_die_told(what);
}

void hostmem_die_told(const char *what)
{
    if (hostmem_ranges_named)
        die(1, "no memory for %s in the addresses that -pin_memory_range and -cc_memory_range name; give larger ranges",
            what);
    static const struct {
        int resource;
        const char *name, *option;
    } limits[] = {{RLIMIT_AS, "address space", "v"}, {RLIMIT_DATA, "data", "d"}};
    struct rlimit r;
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        if (getrlimit(limits[i].resource, &r) || r.rlim_cur >> 63) /* more than there is */
            continue;
        if (r.rlim_cur < r.rlim_max) /* the engine has lifted all others (L3) */
            die(1, "no memory for %s: the tool has limited %s to %lu KiB, too little for program and engine, too",
                what, limits[i].name, r.rlim_cur / 1024);
        die(1, "no memory for %s: the hard limit of %lu KiB on %s (ulimit -H%s) is too small for program and engine",
            what, r.rlim_cur / 1024, limits[i].name, limits[i].option);
    }
    die(1, "no memory for %s", what);
}

void *hostmem_map_aligned(size_t bytes, size_t align, int prot)
{
    if (bytes == 0 || bytes > (1ul << 46) || align > (1ul << 46)) {
        errno = ENOMEM;
        return NULL;
    }
    bytes = PAGE_UP(bytes);
    align = align < PAGE_BYTES ? PAGE_BYTES : align;
    take();
    u64 at = hostranges_ensure_room() ? place(bytes, align, prot) : 0;
    if (at)
        hostranges_insert(at, at + bytes);
    else
        failed_bytes = bytes;
    give();
    return (void *)at;
}

void *hostmem_map(size_t bytes, int prot)
{
    return hostmem_map_aligned(bytes, PAGE_BYTES, prot);
}

void *hostmem_map_reserved(size_t bytes, int prot)
{
    take();
    u64 at = take_from_reserve(PAGE_UP(bytes), PAGE_BYTES, prot);
    give();
    return (void *)at;
}

void *hostmem_map_at(u64 addr, size_t bytes, int prot)
{
    bytes = PAGE_UP(bytes);
    take();
    bool done = hostranges_ensure_room() && map_exact(addr, bytes, prot);
    if (done)
        hostranges_insert(addr, addr + bytes);
    give();
    return done ? (void *)addr : NULL;
}

/* The kernel may refuse to unmap the middle of a mapping, which makes two of one. */
static void unmap(u64 start, u64 end)
{
    bool keep = in_reserve(start) || !hostranges_ensure_room();
    if (!keep && unmap_raw(start, end - start) < 0) {
        keep = errno == ENOMEM;
        if (!keep)
            BUG("cannot unmap host memory %lx-%lx: error %d", start, end, errno);
    }
    if (keep) {
        give_to_reserve(start, end);
        return;
    }
    hostranges_erase(start, end);
    add_hole(start, end);
}

void hostmem_protect(void *addr, size_t bytes, int prot)
{
    if (mprotect(addr, bytes, prot))
        die(1, "the kernel does not change the protection of the engine's memory (%s)%s", strerror(errno),
            prot & PROT_EXEC ? ": it may forbid memory that becomes executable; see SECURITY.md on -wx" : "");
}

void hostmem_unmap(void *addr, size_t bytes)
{
    take();
    unmap((u64)addr, (u64)addr + PAGE_UP(bytes));
    give();
}

static bool grow_in_place(u64 old, u64 old_bytes, u64 new_bytes)
{
    /* Above zone_top the guest's area begins. */
    if (old < zone || old + new_bytes > zone_top || remap_raw(old, old_bytes, new_bytes, 0, 0) == MAP_FAILED)
        return false;
    hostranges_insert(old, old + new_bytes);
    freelist_fill(&holes, old + old_bytes, old + new_bytes); /* nobody has taken it from there */
    return true;
}

/* The kernel has refused to move it: that takes mappings of their own. */
static u64 grow_by_copying(u64 old, u64 old_bytes, u64 new_bytes, size_t align)
{
    u64 at = place(new_bytes, align, PROT_READ | PROT_WRITE);
    if (!at)
        return 0;
    hostranges_insert(at, at + new_bytes);
    memcpy((void *)at, (void *)old, old_bytes);
    unmap(old, old + old_bytes);
    return at;
}

static u64 grow_by_moving(u64 old, u64 old_bytes, u64 new_bytes, size_t align)
{
    u64 at = place(new_bytes, align, PROT_NONE);
    if (!at)
        return 0;
    if (remap_raw(old, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED) {
        unmap(at, at + new_bytes);
        return grow_by_copying(old, old_bytes, new_bytes, align);
    }
    hostranges_insert(at, at + new_bytes);
    if (in_reserve(old)) {
        reserve_again(old, old + old_bytes);
    } else {
        hostranges_erase(old, old + old_bytes);
        add_hole(old, old + old_bytes);
    }
    return at;
}

void *hostmem_grow(void *old, size_t old_bytes, size_t new_bytes, size_t align)
{
    u64 from = (u64)old, at = 0;
    old_bytes = PAGE_UP(old_bytes);
    new_bytes = PAGE_UP(new_bytes);
    align = align < PAGE_BYTES ? PAGE_BYTES : align;
    take();
    if (hostranges_ensure_room())
        at = grow_in_place(from, old_bytes, new_bytes) ? from : grow_by_moving(from, old_bytes, new_bytes, align);
    give();
    return (void *)at;
}

/* --- what others mapped -------------------------------------------------------------------------------------- */

static void note(u64 start, u64 end)
{
    if (!hostranges_ensure_room())
        hostmem_die("the list of host mappings");
    hostranges_insert(start, end);
}

void hostmem_note(u64 start, u64 end)
{
    take();
    note(PAGE_DOWN(start), PAGE_UP(end));
    give();
}

void hostmem_forget(u64 start, u64 end)
{
    take();
    if (hostranges_ensure_room())
        hostranges_erase(start, end);
    give();
}

bool hostmem_placeholder(u64 *start, u64 *end)
{
    *start = placeholder.start;
    *end = placeholder.end;
    return placeholder.start < placeholder.end;
}

/* The parts of an area outside the placeholder: below it in out[0], above it in out[1]; empty ones have start >=
 * end. */
static void cut_placeholder(u64 start, u64 end, struct range out[2])
{
    out[0] = (struct range){start, end};
    out[1] = (struct range){0, 0};
    if (placeholder.start >= placeholder.end || start >= placeholder.end || end <= placeholder.start)
        return;
    out[0].end = placeholder.start;
    out[1] = (struct range){placeholder.end, end};
}

void hostmem_drop_placeholder(bool unmap)
{
    if (unmap && placeholder.start < placeholder.end &&
        unmap_raw(placeholder.start, placeholder.end - placeholder.start) < 0)
        BUG("cannot unmap the placeholder: error %d", errno);
    placeholder = (struct range){0, 0};
}

static void open_maps(struct maps_reader *r)
{
    if (!maps_open(r, 0))
        die(1, "cannot read /proc/self/maps (error %d); is /proc mounted?", errno);
}

/* Stack, heap, vdso and the like: the kernel gives only the guest's a name in brackets. */
static bool guest_name(const char *name)
{
    return name[0] == '[' && strncmp(name, "[anon", 5) != 0;
}

/* [start, end) but for the placeholder. */
static void note_outside(u64 start, u64 end)
{
    struct range part[2];
    cut_placeholder(start, end, part);
    for (int i = 0; i < 2; i++)
        if (part[i].start < part[i].end)
            note(part[i].start, part[i].end);
}

static void note_unclaimed(const struct range images[2])
{
    struct maps_reader r;
    struct maps_area a;
    open_maps(&r);
    while (maps_next(&r, &a)) {
        bool guest = a.start == 0 || guest_name(a.name);
        for (int i = 0; i < 2; i++)
            guest |= a.start < images[i].end && a.end > images[i].start;
        if (!guest)
            note_outside(a.start, a.end);
    }
    maps_close(&r);
}

/* The holes that the way in has filled are nobody's: they are unmapped before the guest runs. */
static void note_but_holes(const struct boot_info *boot, u64 start, u64 end)
{
    for (u32 i = 0; i < boot->nholes; i++) {
        const struct boot_range *h = &boot->hole[i];
        if (h->start >= end || h->end <= start)
            continue;
        if (start < h->start)
            note_but_holes(boot, start, h->start);
        start = h->end;
    }
    if (start < end)
        note_outside(start, end);
}

/* After an attach: registers everything that was not there before. */
static void note_added(const struct boot_info *boot)
{
    const struct boot_range *g = boot_guest_ranges(boot), *end = g + boot->nranges;
    struct maps_reader r;
    struct maps_area a;
    open_maps(&r);
    while (maps_next(&r, &a)) {
        for (; g < end && g->end <= a.start; g++)
            ;
        u64 at = a.start;
        for (const struct boot_range *q = g; q < end && q->start < a.end; q++) {
            if (q->start > at)
                note_but_holes(boot, at, q->start);
            at = q->end;
        }
        if (at < a.end)
            note_but_holes(boot, at, a.end);
    }
    maps_close(&r);
}

static void set_zone(void)
{
    holes.n = 0;
    if (placeholder.start) {
        zone = zone_top = hostranges_lowest_below(placeholder.start, ZONE_NEAR);
        return;
    }
    u64 here = zone ? zone_top : hostranges_self();
    zone = hostranges_lowest_below(PAGE_UP(here), ZONE_NEAR);
    zone = zone_top = zone > ZONE_FLOOR + 2 * ZONE_DISTANCE ? zone - ZONE_DISTANCE : zone;
}

void hostmem_init(const struct boot_info *boot)
{
    ASSERT(boot->nhost <= BOOT_RANGES);
    const struct range images[2] = {{boot->image[0].start, boot->image[0].end},
        {boot->image[1].start, boot->image[1].end}};
    placeholder = (struct range){boot->placeholder.start, boot->placeholder.end};
    bool attached = boot->mode == BOOT_ATTACH;
    take();
    for (u32 i = 0; i < boot->nhost; i++)
        note(PAGE_DOWN(boot->host[i].start), PAGE_UP(boot->host[i].end));
    if (attached)
        note_added(boot);
    else if (boot->guest_auxv)
        note_unclaimed(images);
    set_zone();
    make_reserve();
    give();
}

/* What is in [start, end), neither host nor guest, is host now. */
static void note_new(u64 start, u64 end)
{
    struct gmap_area g;
    while (start < end) {
        bool any = gmap_next(start, &g) && g.start < end;
        if (any && g.start <= start) {
            start = g.end;
            continue;
        }
        u64 stop = any ? g.start : end;
        hostmem_note(start, stop);
        start = stop;
    }
}

static void forget(u64 start, u64 end)
{
    if (end > start && hostranges_ensure_room())
        hostranges_erase(start, end);
}

/* A tool may also change the guest's memory, which stays the guest's. */
static bool is_guest(u64 start, u64 end)
{
    struct gmap_area g;
    return gmap_next(start, &g) && g.start < end;
}

s64 hostmem_library_call(u64 nr, const u64 *a)
{
    bool map = nr == SYS_mmap, remap = nr == SYS_mremap;
    u64 bytes = PAGE_UP(a[remap ? 2 : 1]), old_end = a[0] + PAGE_UP(a[1]);
    bool placed = !map || a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE), guest = placed && is_guest(a[0], old_end);
    take();
    s64 r = to_confine(nr, a) ? map_confined(a) : arch_raw_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r >= 0 && !guest && !map && !in_reserve(a[0]) && !(remap && a[3] & MREMAP_DONTUNMAP))
        forget(a[0], old_end);
    if (r >= 0 && !guest && (map || remap))
        note((u64)r, (u64)r + bytes);
    give();
    return r;
}

/* Host ranges that are no longer mapped (dlclose): M3. */
static void forget_unmapped(void)
{
    struct maps_reader r;
    struct maps_area a;
    u64 seen = 0;
    open_maps(&r);
    while (maps_next(&r, &a)) {
        if (a.start > seen && hostranges_ensure_room())
            hostranges_erase(seen, a.start);
        seen = a.end;
    }
    maps_close(&r);
}

void hostmem_rescan(void)
{
    struct maps_reader r;
    struct maps_area a;
    open_maps(&r);
    while (maps_next(&r, &a)) {
        if (guest_name(a.name))
            continue;
        struct range part[2] = {{a.start, a.end}, {0, 0}};
        if (a.prot == PROT_NONE)
            cut_placeholder(a.start, a.end, part);
        for (int i = 0; i < 2; i++)
            note_new(part[i].start, part[i].end);
    }
    maps_close(&r);
    take();
    forget_unmapped();
    give();
}

/* --- fork ------------------------------------------------------------------------------------------------------ */

void hostmem_before_fork(void)
{
    take();
    fork_holder++;
}

void hostmem_after_fork(bool child)
{
    /* Nobody waits for the lock in the child, and a futex lock has no owner that would have to be corrected. */
    (void)child;
    fork_holder--;
    give();
}

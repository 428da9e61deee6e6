/* SPDX-License-Identifier: Apache-2.0
 * Probes and the memory of their islands (docs/design/probes.md, PB7 to PB12). Records and islands are never freed,
 * because a thread may be in one at any time; a probe that is placed again uses them again. One lock, a leaf but for
 * those of memory. */
#include "probe/probe.h"

#include "arch/arch.h"
#include "os/hostevent.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/native.h"
#include "os/os.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BUCKETS 16384u
#define BLOCK_SHIFT 8            /* a bucket has the probes of blocks of so many bytes (their logarithm) */
#define CHUNK_BYTES (64ul << 10)
#define REACH (0x78000000ul)     /* an island's memory is so near */
#define AWAY (256ul << 20)       /* and not nearer, where it can be: the program will map its own things there */
#define STEP (2ul << 20)
#define ASSUMED_OFFSET (AWAY)    /* of an island that is only asked about */

struct chunk {
    struct chunk *next;
    u64 start, used;
};

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_PROBES);
static struct probe *bucket[BUCKETS];     /* by the block of the function's start */
static struct probe *hop_bucket[BUCKETS]; /* by that of the hop, if there is one */
static struct probe *wholes;              /* those with copies of whole functions */
static struct chunk *chunks;
static u64 visits;               /* so many times threads were asked to come */
#define GATES 64u
static u64 gate_returns[GATES], gate_jumps;

/* --- islands ------------------------------------------------------------------------------------------------------ */

static bool is_near(u64 a, u64 b) { return a - b + REACH < 2 * REACH; }

static u64 map_at(u64 at)
{
    return (u64)hostmem_map_at(PAGE_DOWN(at), CHUNK_BYTES, PROT_READ | PROT_EXEC);
}

/* Below the function, from some distance on; then above it, from far to near, because the heap grows there; then
 * anywhere. */
static u64 map_near(u64 pc)
{
    u64 got = 0;
    for (u64 d = AWAY; !got && d < REACH && d < pc; d += STEP)
        got = map_at(pc - d);
    for (u64 d = REACH - STEP; !got && d >= STEP; d -= STEP)
        got = map_at(pc + d);
    for (u64 d = STEP; !got && d < AWAY && d < pc; d += STEP)
        got = map_at(pc - d);
    return got;
}

static u32 island_bytes(u32 bytes) { return (bytes + 15u) & ~15u; }

static u64 take_island(u64 pc, u32 bytes)
{
    bytes = island_bytes(bytes);
    struct chunk *c = chunks;
    while (c && !(is_near(c->start, pc) && c->used + bytes <= CHUNK_BYTES))
        c = c->next;
    if (!c) {
        c = calloc(1, sizeof *c);
        if (!c || !(c->start = map_near(pc))) {
            free(c);
            return 0;
        }
        c->next = chunks;
        chunks = c;
    }
    c->used += bytes;
    return c->start + c->used - bytes;
}

/* Of the island that was taken last only so many bytes are used. */
static void give_rest(u64 island, u32 taken, u32 used)
{
    for (struct chunk *c = chunks; c; c = c->next)
        if (island + island_bytes(taken) == c->start + c->used) {
            c->used -= island_bytes(taken) - island_bytes(used);
            return;
        }
}

/* A gate for each depth of calls, so that an unwinder knows them apart; the last serves all that are deeper. */
void probe_init(void)
{
    u8 code[PAGE_BYTES];
    probe_run_init();
    u64 at = (u64)hostmem_map(PAGE_BYTES, PROT_READ | PROT_EXEC);
    u32 used = 0;
    for (u32 i = 0; i < GATES && at; i++) {
        u32 n = arch_probe_make_gate(code + used, at + used, &gate_returns[i], &gate_jumps);
        used = (used + n + 15u) & ~15u;
        ASSERT(used <= sizeof code);
    }
    if (!at || !native_write_code(at, code, used))
        die(1, "no memory for the code of probes");
}

u64 probe_gate(u32 depth) { return gate_returns[depth < GATES ? depth : GATES - 1]; }
bool probe_gate_depth(u64 pc, u32 *depth)
{
    for (*depth = 0; *depth + 1 < GATES; ++*depth)
        if (gate_returns[*depth] == pc)
            return true;
    return false;
}

void probe_jump(gpc_t pc) { arch_probe_jump(gate_jumps, pc); }

/* --- probes ------------------------------------------------------------------------------------------------------- */

const char *probe_refused(const struct probe_site *s)
{
    struct probe_code code;
    u64 island = s->pc > 2 * ASSUMED_OFFSET ? s->pc - ASSUMED_OFFSET : s->pc + ASSUMED_OFFSET;
    const char *why = arch_probe_make(s, island, NULL, &code);
    struct probe_whole *w = why && s->allow_whole ? malloc(sizeof *w) : NULL;
    if (w) {
        why = arch_probe_make_whole(s, island, NULL, island + PROBE_CODE_BYTES, &code);
        why = why ? why : arch_probe_whole(s, island + PROBE_CODE_BYTES, code.patch_bytes, w);
    }
    free(w);
    return why;
}

static struct probe **bucket_of(gpc_t pc) { return &bucket[(pc >> BLOCK_SHIFT) % BUCKETS]; }
static struct probe **hop_bucket_of(gpc_t pc) { return &hop_bucket[(pc >> BLOCK_SHIFT) % BUCKETS]; }

struct probe *probe_at(gpc_t pc)
{
    struct probe *p = __atomic_load_n(bucket_of(pc), __ATOMIC_ACQUIRE);
    while (p && (p->site.pc != pc || !p->fn))
        p = p->next;
    return p;
}

/* The function's first bytes cannot be moved alone. */
static const char *fill_whole(struct probe *p, const struct probe_site *s, u64 island)
{
    u64 copy = take_island(s->pc, PROBE_WHOLE_BYTES);
    struct probe_whole *w = copy ? malloc(sizeof *w) : NULL;
    const char *why = w ? arch_probe_make_whole(s, island, p, copy, &p->code) : "no memory for a copy of it";
    if (!why)
        why = arch_probe_whole(s, copy, p->code.patch_bytes, w);
    if (!why && !native_write_code(copy, w->code, w->bytes))
        why = "its code cannot be written";
    if (copy)
        give_rest(copy, PROBE_WHOLE_BYTES, why ? 0 : w->bytes);
    if (why) {
        free(w);
        return why;
    }
    p->whole = w;
    p->next_whole = wholes;
    wholes = p;
    return NULL;
}

static const char *fill(struct probe *p, const struct probe_site *s)
{
    u64 island = take_island(s->pc, PROBE_CODE_BYTES);
    const char *why = island ? arch_probe_make(s, island, p, &p->code)
                             : "no memory is free that a jump from it reaches";
    if (why && island && s->allow_whole)
        why = fill_whole(p, s, island);
    if (!why && !native_write_code(island, p->code.island, p->code.island_bytes))
        why = "its code cannot be written";
    return why;
}

struct probe *probe_make(const struct probe_site *s, probe_fn *fn, void *data, const char **why)
{
    struct probe *p = calloc(1, sizeof *p);
    if (!p)
        hostmem_die("a probe");
    hostlock_take(&lock);
    *why = fill(p, s);
    if (*why) {
        hostlock_give(&lock);
        free(p);
        return NULL;
    }
    p->site = *s;
    p->site.bytes = NULL;
    p->site.arg = NULL;
    p->fn = fn;
    p->data = data;
    p->next = *bucket_of(s->pc);
    __atomic_store_n(bucket_of(s->pc), p, __ATOMIC_RELEASE);
    if (p->code.hop_bytes) {
        p->next_hop = *hop_bucket_of(s->hop);
        __atomic_store_n(hop_bucket_of(s->hop), p, __ATOMIC_RELEASE);
    }
    hostlock_give(&lock);
    return p;
}

/* The word is written as a whole: a thread that comes meanwhile takes the old way or the new one. */
void probe_set_light(struct probe *p, const struct probe_light *c, u32 n, bool replaces)
{
    u8 code[PROBE_LIGHT_BYTES];
    u64 to = p->code.full;
    hostlock_take(&lock);
    u64 island = n ? take_island(p->site.pc, PROBE_LIGHT_BYTES) : 0;
    u32 bytes = island ? arch_probe_light(c, n, replaces, &p->code, code, island) : 0;
    if (bytes && native_write_code(island, code, bytes))
        to = island;
    if (island)
        give_rest(island, PROBE_LIGHT_BYTES, to == island ? bytes : 0);
    native_write_code(p->code.target, &to, sizeof to);
    hostlock_give(&lock);
}

void probe_set_filter(struct probe *p, const u32 *first, u32 n)
{
    u8 code[PROBE_CODE_BYTES];
    hostlock_take(&lock);
    u64 island = take_island(p->site.pc, PROBE_CODE_BYTES);
    u32 bytes = island ? arch_probe_filter(first, n, &p->code, code, island) : 0;
    if (island)
        give_rest(island, PROBE_CODE_BYTES, bytes);
    if (bytes && native_write_code(island, code, bytes))
        native_write_code(p->code.target, &island, sizeof island);
    hostlock_give(&lock);
}

bool probe_make_handler(probe_fn *fn, u64 *handler, u64 *restorer)
{
    u8 code[PROBE_CODE_BYTES];
    struct probe *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->fn = fn;
    p->anywhere = true;
    hostlock_take(&lock);
    u64 island = take_island(gate_returns[0], PROBE_CODE_BYTES);
    u32 n = island ? arch_probe_make_handler(code, island, p, &p->code, restorer) : 0;
    hostlock_give(&lock);
    *handler = p->code.entry;
    return n && native_write_code(island, code, n);
}

/* --- the patch ---------------------------------------------------------------------------------------------------- */

_Static_assert(PROBE_PATCH_BYTES == NATIVE_PATCH_BYTES && PROBE_MOVED == NATIVE_PATCH_MOVED, "one form");

/* The hop is there before the jump to it, and stays: nobody else comes to it. */
static bool write_hop(const struct probe *p)
{
    return !p->code.hop_bytes || native_write_code(p->site.hop, p->code.hop, p->code.hop_bytes);
}

static struct native_patch patch_of(const struct probe *p, bool place)
{
    const struct probe_code *c = &p->code;
    struct native_patch n = {.at = p->site.pc, .bytes = c->patch_bytes};
    memcpy(n.code, place ? c->patch : c->old, c->patch_bytes);
    for (u32 i = 0; i < c->nmoved && place; i++) {
        n.moved[n.nmoved].from = p->site.pc + c->moved[i].from;
        n.moved[n.nmoved++].to = c->moved[i].to;
    }
    return n;
}

static u32 count_patches(const struct probe *p)
{
    const struct probe_whole *w = p->whole;
    return 1 + (w ? w->nback + (w->nmoved + NATIVE_PATCH_MOVED - 1) / NATIVE_PATCH_MOVED : 0);
}

/* Of a function that was moved as a whole: jumps to the copy; and, in patches that write nothing, where each of its
 * instructions is. */
static u32 list_whole(const struct probe_whole *w, bool place, struct native_patch *list)
{
    u32 n = 0;
    for (u32 i = 0; i < w->nback; i++) {
        struct native_patch *one = &list[n++];
        *one = (struct native_patch){.at = w->back[i].from};
        one->bytes = arch_probe_put_jump(one->code, one->at, w->back[i].to);
        if (!place)
            memcpy(one->code, w->own[i], one->bytes);
    }
    for (u32 i = 0; i < w->nmoved && place; i++) {
        if (i % NATIVE_PATCH_MOVED == 0)
            list[n++] = (struct native_patch){.at = w->moved[0].from};
        struct native_patch *one = &list[n - 1];
        one->moved[one->nmoved].from = w->moved[i].from;
        one->moved[one->nmoved++].to = w->moved[i].to;
    }
    return n;
}

static u32 list_patches(const struct probe *p, bool place, struct native_patch *list)
{
    list[0] = patch_of(p, place);
    return 1 + (p->whole ? list_whole(p->whole, place, list + 1) : 0);
}

static bool patch_quiet(const struct native_patch *list, u32 n)
{
    bool done = true;
    for (u32 i = 0; i < n && done; i++)
        done = native_patch_quiet(&list[i]);
    return done;
}

const char *probe_place(struct probe *p, bool place, bool quiet)
{
    const char *why = NULL;
    struct native_patch one = {0}, *list = p->whole ? calloc(count_patches(p), sizeof *list) : &one;
    if (!list)
        hostmem_die("probes");
    hostlock_take(&lock);
    u32 n = list_patches(p, place, list);
    if (p->placed != place) {
        bool done = write_hop(p) && (quiet ? patch_quiet(list, n) : native_patch(list, n, NULL, 0, 0));
        if (done)
            p->placed = place;
        else
            why = "its code cannot be written, or the threads of the program cannot be stopped (ptrace)";
    }
    hostlock_give(&lock);
    if (p->whole)
        free(list);
    return why;
}

static bool changes(const struct probe *p, bool place) { return p->fn && p->placed != place && (!place || p->wanted); }

void probe_each(void (*f)(struct probe *p))
{
    for (u32 i = 0; i < BUCKETS; i++)
        for (struct probe *p = bucket[i]; p; p = p->next)
            if (p->fn)
                f(p);
}

static bool place_all(bool place, struct native_visit *v, u32 nvisits)
{
    u32 n = 0, room = 0;
    struct native_patch *list = NULL;
    hostlock_take(&lock);
    for (u32 i = 0; i < BUCKETS; i++)
        for (const struct probe *p = bucket[i]; p; p = p->next)
            room += changes(p, place) ? count_patches(p) : 0;
    if (room && !(list = calloc(room, sizeof *list)))
        hostmem_die("probes");
    for (u32 i = 0; i < BUCKETS; i++)
        for (const struct probe *p = bucket[i]; p; p = p->next)
            if (changes(p, place) && write_hop(p))
                n += list_patches(p, place, list + n);
    bool done = native_patch(list, n, v, nvisits, visits);
    for (u32 i = 0; i < BUCKETS && done; i++)
        for (struct probe *p = bucket[i]; p; p = p->next)
            if (changes(p, place))
                p->placed = place;
    hostlock_give(&lock);
    free(list);
    return done;
}

bool probe_place_all(bool place) { return place_all(place, NULL, 0); }

/* --- visits ------------------------------------------------------------------------------------------------------- */

#define VISITS_SLACK 64u

/* Those that come from guest code are waited for. Those that are in host code come when they leave it, which a tool may
 * have wait for the very thing that is being done: they are waited for as long as that is no delay to speak of. */
#define LATE_MS 2000u

static struct hostlock count_lock FORK_WRITES = HOSTLOCK(LOCK_VISITS);
static u32 guests, late;        /* are still to come to visit number `visits`, from guest code, from host code */
static u32 news;                /* of the two; slept on */
static bool guests_wait;        /* for each other */
static void (*guests_do)(void);

static void expect(u32 from_guest, u32 from_host)
{
    hostlock_take(&count_lock);
    visits++;
    guests = from_guest;
    late = from_host;
    news++;
    hostlock_give(&count_lock);
    hostlock_futex(&news, FUTEX_WAKE, INT_MAX);
}

static void came(u64 visit, u32 from_guest, u32 from_host)
{
    hostlock_take(&count_lock);
    if (visit == visits) {
        guests -= from_guest;
        late -= from_host;
        news++;
    }
    hostlock_give(&count_lock);
    hostlock_futex(&news, FUTEX_WAKE, INT_MAX);
}

static bool are_missing(u64 visit, bool even_late, u32 *seen)
{
    hostlock_take(&count_lock);
    bool missing = visit == visits && (guests || (even_late && late));
    *seen = news;
    hostlock_give(&count_lock);
    return missing;
}

static void await_guests(u64 visit)
{
    struct timespec end = hostevent_deadline(LATE_MS), now, left;
    u32 seen;
    while (are_missing(visit, false, &seen))
        hostlock_futex(&news, FUTEX_WAIT, seen);
    while (are_missing(visit, true, &seen)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        s64 ns = (end.tv_sec - now.tv_sec) * 1000000000l + end.tv_nsec - now.tv_nsec;
        if (ns <= 0)
            return;
        left = (struct timespec){ns / 1000000000l, ns % 1000000000l};
        hostlock_futex_until(&news, seen, &left);
    }
}

static void visit(u64 number, bool from_guest)
{
    guests_do();
    u32 seen;
    came(number, from_guest, !from_guest);
    if (guests_wait)
        await_guests(number);
    else if (are_missing(number, false, &seen))
        sched_yield(); /* they are waited for, and this one may have much to do */
}

static void on_due(void) { visit(arch_native_take_due(), false); }

static u64 on_visit(struct probe *p)
{
    visit(visits, true);
    return p->code.resume;
}

/* Its island is never used again: the thread may stay in it as long as it likes. */
bool probe_make_visit(probe_fn *fn, u64 *at, u64 *back)
{
    u8 code[PROBE_CODE_BYTES];
    struct probe *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->fn = fn;
    p->anywhere = true;
    hostlock_take(&lock);
    u64 island = take_island(gate_returns[0], PROBE_CODE_BYTES);
    u32 n = island ? arch_probe_make_visit(code, island, p, &p->code, back) : 0;
    hostlock_give(&lock);
    *at = p->code.entry;
    return n && native_write_code(island, code, n);
}

static bool prepare_visit(struct native_visit *v) { return probe_make_visit(on_visit, &v->at, &v->back); }

static u32 count_sent(const struct native_visit *v, u32 n, enum native_sent how)
{
    u32 count = 0;
    for (u32 i = 0; i < n; i++)
        count += v[i].sent == how;
    return count;
}

bool probe_place_all_and_visit(bool place, void (*f)(void))
{
    u32 room = native_list_threads(NULL, 0) + VISITS_SLACK, n = 0;
    struct native_visit *v = calloc(room, sizeof *v);
    if (!v)
        hostmem_die("the program's threads");
    native_hold_new(true);
    u32 there = native_list_threads(v, room);
    while (n < there && n < room && prepare_visit(&v[n]))
        n++;
    guests_do = f;
    guests_wait = place;
    arch_probe_due = on_due;
    expect(n, n);
    bool done = place_all(place, v, n);
    native_hold_new(false);
    came(visits, n - count_sent(v, n, NATIVE_SENT), n - count_sent(v, n, NATIVE_DUE));
    await_guests(visits);
    free(v);
    return done;
}

void probe_forget(gpc_t start, gpc_t end)
{
    for (u32 i = 0; i < BUCKETS; i++)
        for (struct probe *p = bucket[i]; p; p = p->next)
            if (p->site.pc >= start && p->site.pc < end) {
                p->placed = false;
                p->fn = NULL;
            }
}

static bool meets(gpc_t at, u32 bytes, gpc_t start, gpc_t end) { return bytes && at < end && start < at + bytes; }

/* The blocks from which a patch or a hop may reach into [start, end): of more than there are buckets, each bucket
 * once. */
static u64 blocks(gpc_t start, gpc_t end, u64 *first)
{
    *first = (start - (PROBE_PATCH_BYTES - 1)) >> BLOCK_SHIFT;
    u64 n = ((end - 1) >> BLOCK_SHIFT) - *first + 1;
    return n < BUCKETS ? n : BUCKETS;
}

bool probe_uses(gpc_t start, gpc_t end)
{
    u64 first, n = blocks(start, end, &first);
    for (const struct probe *p = wholes; p; p = p->next_whole)
        for (u32 i = 0; p->fn && i < p->whole->nback; i++)
            if (meets(p->whole->back[i].from, PROBE_PATCH_BYTES, start, end))
                return true;
    for (u64 i = first; i < first + n; i++) {
        for (const struct probe *p = bucket[i % BUCKETS]; p; p = p->next)
            if (p->fn && meets(p->site.pc, p->code.patch_bytes, start, end))
                return true;
        for (const struct probe *p = hop_bucket[i % BUCKETS]; p; p = p->next_hop)
            if (p->fn && meets(p->site.hop, p->code.hop_bytes, start, end))
                return true;
    }
    return false;
}

static void put_back(gpc_t at, u8 *bytes, size_t n, gpc_t from, const u8 *own, u32 len)
{
    for (u32 i = 0; i < len; i++)
        if (from + i - at < n)
            bytes[from + i - at] = own[i];
}

void probe_own_bytes(gpc_t at, u8 *bytes, size_t n)
{
    u64 first = 0, count = n ? blocks(at, at + n, &first) : 0;
    for (u64 i = first; i < first + count; i++)
        for (const struct probe *p = bucket[i % BUCKETS]; p; p = p->next)
            if (p->fn && p->placed)
                put_back(at, bytes, n, p->site.pc, p->code.old, p->code.patch_bytes);
    for (const struct probe *p = wholes; p; p = p->next_whole)
        for (u32 i = 0; p->fn && p->placed && i < p->whole->nback; i++)
            put_back(at, bytes, n, p->whole->back[i].from, p->whole->own[i], p->code.patch_bytes);
}

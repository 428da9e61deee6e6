/* SPDX-License-Identifier: Apache-2.0
 * From guest address to trace, and to indirect entry: an open hash that cache code probes without a lock (E8), and
 * the indirect branch table in the low 2 GiB. Changes under jit_lock. A key once in the hash stays until the table
 * is replaced, so probe chains never break under a reader. There are two tables of a size, of which one is empty; the
 * other one's entries move there when it has too many dead keys. A reader may still be in a table that was emptied: it
 * finds what is there again by then, or misses. The address range of an outgrown table is kept for the same reason. */
#include "arch/arch.h"
#include "cache/cache.h"

#include "base/options.h"
#include "os/hostmem.h"
#include "os/os.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The second is small at first, for a fork copies what is there. */
#define FIRST_TRACES 4096u
#define FIRST_INDIRECT 512u
#define REMOVED (~0u)
#define LOW_TOP 0x7ff00000ul
#define LOW_BOTTOM 0x10000000ul
#define LOW_LAST 0x10000ul /* the lowest page that every kernel gives */

bool versions_used;
struct dir_table *dir_current;
static struct {
    struct slot {
        u32 number; /* of the trace, plus 1; 0: empty */
        u32 hash;   /* of its key: the records of other traces in a chain need not be read */
    } *slot;
    u32 slots, used;
} traces;

u8 **ibt;
u8 *ibt_interest;
u32 *ibt_count, ibt_hot;
bool ibt_mixes;
static u8 *ibt_default;

static u64 entries(void) { return dir_current->offset_mask / 16 + 1; }

static struct dir_table *empty_table; /* of the size of the current one */

/* --- all traces ------------------------------------------------------------------------------------------------- */

/* Traces that are near each other are near each other in the table: 128 bytes of code share a cache line, and the lines
 * of a page of code are half a page of the table. The upper bits do not choose the place, but tell keys apart. */
static u32 hash_of(u64 key)
{
    u32 page = (u32)((key >> 12) * DIR_HASH_MULTIPLIER >> 44);
    return (u32)(key & 15) << 28 | page << 8 | (key >> 4 & 255);
}

static bool is_live(const struct slot *s) { return s->number && s->number != REMOVED; }

static bool has_key(const struct slot *s, u32 hash, u64 key)
{
    return s->hash == hash && s->number != REMOVED && trace_key(trace_get(s->number - 1)) == key;
}

/* The entry of the key, or the empty entry where its chain ends. */
static struct slot *find_trace(u64 key)
{
    u32 mask = traces.slots - 1, hash = hash_of(key), i = hash & mask;
    while (traces.slot[i].number && !has_key(&traces.slot[i], hash, key))
        i = (i + 1) & mask;
    return &traces.slot[i];
}

/* Where a key goes that is not there: code that changes all the time would else leave a chain of removed entries
 * after it. */
static struct slot *find_place(u32 hash)
{
    u32 mask = traces.slots - 1, i = hash & mask;
    while (is_live(&traces.slot[i]))
        i = (i + 1) & mask;
    return &traces.slot[i];
}

void dir_prefetch(u64 key) { __builtin_prefetch(&traces.slot[hash_of(key) & (traces.slots - 1)]); }

struct trace *dir_find(u64 key)
{
    u32 n = find_trace(key)->number;
    return n ? trace_get(n - 1) : NULL;
}

static bool grow_traces(void)
{
    struct slot *old = traces.slot;
    u32 n = traces.slots, live = 0;
    for (u32 i = 0; i < n; i++)
        live += is_live(&old[i]);
    u32 slots = live * 4 > n ? n * 2 : n;
    struct slot *slot = tables_map(slots * sizeof *slot);
    if (!slot)
        return false;
    traces.slots = slots;
    traces.slot = slot;
    traces.used = live;
    for (u32 i = 0; i < n; i++)
        if (is_live(&old[i]))
            *find_place(old[i].hash) = old[i];
    tables_unmap(old, n * sizeof *old);
    return true;
}

static bool traces_ready(void) { return traces.used * 2 < traces.slots || grow_traces(); }

void dir_insert(struct trace *t)
{
    if (!traces_ready() && traces.used + 2 > traces.slots)
        hostmem_die("the directory of traces");
    u32 hash = hash_of(trace_key(t));
    struct slot *at = find_place(hash);
    traces.used += at->number == 0;
    *at = (struct slot){t->number + 1, hash};
}

/* --- indirect targets ------------------------------------------------------------------------------------------- */

static u64 table_bytes(u64 n) { return PAGE_UP(sizeof(struct dir_table) + n * sizeof(struct dir_entry)); }

/* The current one and the empty one. */
static bool new_tables(u64 n)
{
    u8 *two = tables_map(2 * table_bytes(n));
    if (!two)
        return false;
    empty_table = (struct dir_table *)(two + table_bytes(n));
    struct dir_table *t = (struct dir_table *)two;
    t->offset_mask = empty_table->offset_mask = (n - 1) * 16;
    __atomic_store_n(&dir_current, t, __ATOMIC_RELEASE);
    return true;
}

static void swap_tables(void)
{
    struct dir_table *t = empty_table;
    empty_table = dir_current;
    __atomic_store_n(&dir_current, t, __ATOMIC_RELEASE);
}

static struct dir_entry *find_entry(u64 key)
{
    u64 i = (key * DIR_HASH_MULTIPLIER >> 28 & dir_current->offset_mask) / 16;
    while (dir_current->entry[i].pc && dir_current->entry[i].pc != key)
        i = (i + 1) & (entries() - 1);
    return &dir_current->entry[i];
}

static void put(u64 key, u8 *ib_entry)
{
    struct dir_entry *e = find_entry(key);
    dir_current->used += e->pc == 0;
    __atomic_store_n(&e->ib_entry, ib_entry, __ATOMIC_RELEASE);
    __atomic_store_n(&e->pc, key, __ATOMIC_RELEASE);
}

/* Gives the memory back, if it has pages of its own. Its mask stays: whoever is in it goes on within it. */
static void empty(struct dir_table *t, u64 n)
{
    bool keep = tables_keep(2 * table_bytes(n));
    u8 *end = keep ? (u8 *)(t->entry + n) : (u8 *)t + PAGE_BYTES;
    for (struct dir_entry *e = t->entry; (u8 *)e < end; e++) {
        __atomic_store_n(&e->ib_entry, NULL, __ATOMIC_RELEASE);
        __atomic_store_n(&e->pc, 0, __ATOMIC_RELEASE);
    }
    if (!keep)
        madvise((u8 *)t + PAGE_BYTES, table_bytes(n) - PAGE_BYTES, MADV_DONTNEED);
    t->used = 0;
}

static bool grow_table(void)
{
    struct dir_table *old = dir_current;
    u64 n = entries(), live = 0;
    for (u64 i = 0; i < n; i++)
        live += old->entry[i].ib_entry != NULL;
    if (live * 4 <= n)
        swap_tables();
    else if (!new_tables(n * 2))
        return false;
    for (u64 i = 0; i < n; i++)
        if (old->entry[i].ib_entry)
            put(old->entry[i].pc, old->entry[i].ib_entry);
    empty(old, n);
    return true;
}

static bool table_ready(void) { return dir_current->used * 2 < entries() || grow_table(); }

bool dir_ready(void) { return traces_ready() && table_ready(); }

void dir_set_ib(const struct trace *t)
{
    if (!table_ready() && dir_current->used + 2 > entries())
        hostmem_die("the directory of traces");
    put(trace_key(t), trace_ib_entry(t));
}

void dir_init(void)
{
    traces.slots = FIRST_TRACES;
    traces.slot = tables_map(FIRST_TRACES * sizeof *traces.slot);
    if (!traces.slot || !new_tables(FIRST_INDIRECT))
        hostmem_die("the directory of traces");
}

void dir_remove(struct trace *t)
{
    u64 key = trace_key(t);
    struct slot *at = find_trace(key);
    if (at->number != t->number + 1)
        return;
    at->number = REMOVED;
    struct dir_entry *e = find_entry(key);
    if (e->pc)
        __atomic_store_n(&e->ib_entry, NULL, __ATOMIC_RELEASE);
}

u64 dir_bytes(void)
{
    return sizeof *dir_current + entries() * sizeof dir_current->entry[0] + traces.slots * sizeof *traces.slot;
}

void dir_clear(void)
{
    memset(traces.slot, 0, traces.slots * sizeof *traces.slot);
    traces.used = 0;
    for (u64 i = 0; i < entries(); i++)
        __atomic_store_n(&dir_current->entry[i].ib_entry, NULL, __ATOMIC_RELEASE);
}

#define COUNT_BYTES (IBT_ENTRIES * sizeof *ibt_count)
#define INTEREST_BYTES (IBT_FILE_FDS + OS_HIGH_FD)
#define IBT_BYTES (IBT_ENTRIES * sizeof *ibt + INTEREST_BYTES)

/* The counts are in front of the page, because every child of a fork writes to them. */
static void ibt_map_large(void)
{
    u64 align = TABLES_LARGE_BYTES - 1;
    for (u64 at = (LOW_TOP & ~align) - TABLES_LARGE_BYTES; !ibt && at > LOW_BOTTOM; at -= TABLES_LARGE_BYTES) {
        u8 *p = hostmem_map_at(at - COUNT_BYTES, COUNT_BYTES + TABLES_LARGE_BYTES, PROT_READ | PROT_WRITE);
        if (!p)
            continue;
        ibt_count = (u32 *)p;
        ibt = (u8 **)(p + COUNT_BYTES);
        tables_use_large(p + COUNT_BYTES, IBT_BYTES);
    }
}

/* A program with 4 GiB of addresses gets them in one piece: below where the kernel puts it. */
#define NARROW_TOP 0x02000000ul
#define NARROW_BOTTOM 0x00200000ul

static void ibt_map(void)
{
    for (u64 at = NARROW_TOP; arch_narrow && !ibt && at > NARROW_BOTTOM; at -= 1ul << 20)
        ibt = hostmem_map_at(at, IBT_BYTES + COUNT_BYTES, PROT_READ | PROT_WRITE);
    for (u64 at = LOW_TOP - IBT_BYTES - COUNT_BYTES; !ibt && at > LOW_BOTTOM; at -= 1ul << 20)
        ibt = hostmem_map_at(at, IBT_BYTES + COUNT_BYTES, PROT_READ | PROT_WRITE);
    /* A program with 2 GiB of data has all of that; below its start there may be room. */
    for (u64 at = LOW_BOTTOM; !ibt && at > LOW_LAST; at -= 1ul << 16)
        ibt = hostmem_map_at(at, IBT_BYTES + COUNT_BYTES, PROT_READ | PROT_WRITE);
    ibt_count = (u32 *)((u8 *)ibt + IBT_BYTES);
}

void ibt_init(void)
{
    if (!options.no_large_pages && !arch_narrow)
        ibt_map_large();
    if (!ibt)
        ibt_map();
    if (!ibt && errno == ENOMEM)
        hostmem_die("the table of indirect branches");
    if (!ibt)
        die(1, "no free %lu KiB below 2 GiB in the program's address space", (IBT_BYTES + COUNT_BYTES) >> 10);
    ibt_interest = (u8 *)(ibt + IBT_ENTRIES);
    os_file_fds = ibt_interest + IBT_FILE_FDS;
}

void ibt_set(gpc_t pc, u8 *entry)
{
    __atomic_store_n(&ibt[ibt_index(pc)], entry, __ATOMIC_RELEASE);
}

/* Called after dir_remove. A thread that puts the entry back at this moment (ib_miss) looks at the directory
 * afterwards, and so sees that the trace is gone. */
void ibt_clear(gpc_t pc, const u8 *entry)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (entry && ibt[ibt_index(pc)] == entry)
        ibt_set(pc, ibt_default);
}

void ibt_clear_all(void)
{
    for (u64 i = 0; i < IBT_ENTRIES; i++)
        __atomic_store_n(&ibt[i], ibt_default, __ATOMIC_RELEASE);
}

void ibt_set_default(u8 *ib_miss)
{
    ibt_default = ib_miss;
    ibt_clear_all();
}

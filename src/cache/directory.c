/* SPDX-License-Identifier: Apache-2.0
 * From guest address to trace: an open hash that cache code probes without a lock (E8), and the indirect branch table in the low 2 GiB. Changes
 * under jit_lock. A key once in stays until the table is replaced, so probe chains never break under a reader; an outgrown table is kept, for
 * a reader may be in it. */
#include "cache/cache.h"

#include "os/linux/hostmem.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_ENTRIES 4096ul
#define LOW_TOP 0x7ff00000ul
#define LOW_BOTTOM 0x10000000ul

struct dir_table *dir_current;
static struct trace **traces; /* parallel to dir_current->entry */

u8 **ibt;
u8 *ibt_interest, *low_scratch;
bool ibt_mixes;
static u8 *ibt_default;

static u64 entries(void) { return dir_current->offset_mask / 16 + 1; }

static u64 first_slot(const struct dir_table *t, gpc_t pc)
{
    return ((pc * DIR_HASH_MULTIPLIER >> 28) & t->offset_mask) / 16;
}

static void new_table(u64 n)
{
    struct dir_table *t = hostmem_map(PAGE_UP(sizeof *t + n * sizeof t->entry[0]), PROT_READ | PROT_WRITE);
    struct trace **tr = hostmem_map(PAGE_UP(n * sizeof *tr), PROT_READ | PROT_WRITE);
    if (!t || !tr)
        hostmem_die("the directory of traces");
    t->offset_mask = (n - 1) * 16;
    traces = tr;
    __atomic_store_n(&dir_current, t, __ATOMIC_RELEASE);
}

void dir_init(void) { new_table(FIRST_ENTRIES); }

/* The slot of pc, or the empty one where it would go. */
static u64 find_slot(gpc_t pc)
{
    u64 i = first_slot(dir_current, pc);
    while (dir_current->entry[i].pc && dir_current->entry[i].pc != pc)
        i = (i + 1) & (entries() - 1);
    return i;
}

struct trace *dir_find(gpc_t pc)
{
    u64 i = find_slot(pc);
    return dir_current->entry[i].pc ? traces[i] : NULL;
}

static void put(struct trace *t)
{
    u64 i = find_slot(t->key);
    struct dir_entry *e = &dir_current->entry[i];
    dir_current->used += e->pc == 0;
    traces[i] = t;
    __atomic_store_n(&e->ib_entry, t->ib_entry, __ATOMIC_RELEASE);
    __atomic_store_n(&e->pc, t->key, __ATOMIC_RELEASE);
}

static void grow(void)
{
    struct dir_table *old = dir_current;
    struct trace **old_traces = traces;
    u64 n = entries(), live = 0;
    for (u64 i = 0; i < n; i++)
        live += old_traces[i] != NULL;
    new_table(live * 4 > n ? n * 2 : n);
    for (u64 i = 0; i < n; i++)
        if (old->entry[i].pc && old_traces[i])
            put(old_traces[i]);
}

void dir_insert(struct trace *t)
{
    if (dir_current->used * 2 >= entries())
        grow();
    put(t);
}

void dir_set_ib(struct trace *t) { put(t); }

void dir_remove(struct trace *t)
{
    u64 i = find_slot(t->key);
    if (!dir_current->entry[i].pc || traces[i] != t)
        return;
    traces[i] = NULL;
    __atomic_store_n(&dir_current->entry[i].ib_entry, NULL, __ATOMIC_RELEASE);
}

u64 dir_bytes(void) { return sizeof *dir_current + entries() * (sizeof dir_current->entry[0] + sizeof *traces); }

void dir_clear(void)
{
    for (u64 i = 0; i < entries(); i++) {
        traces[i] = NULL;
        __atomic_store_n(&dir_current->entry[i].ib_entry, NULL, __ATOMIC_RELEASE);
    }
}

void ibt_init(void)
{
    size_t bytes = IBT_ENTRIES * sizeof *ibt + 65536 + LOW_SCRATCH_BYTES;
    for (u64 at = LOW_TOP - bytes; !ibt && at > LOW_BOTTOM; at -= 1ul << 20)
        ibt = hostmem_map_at(at, bytes, PROT_READ | PROT_WRITE);
    if (!ibt && errno == ENOMEM)
        hostmem_die("the table of indirect branches");
    if (!ibt)
        die(1, "no free %lu KiB below 2 GiB in the program's address space", bytes >> 10);
    ibt_interest = (u8 *)(ibt + IBT_ENTRIES);
    low_scratch = ibt_interest + 65536;
}

void ibt_set(gpc_t pc, u8 *entry)
{
    __atomic_store_n(&ibt[ibt_index(pc)], entry, __ATOMIC_RELEASE);
}

/* Called after dir_remove: a thread that puts the entry back at this moment (ib_miss) looks at the directory afterwards. */
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

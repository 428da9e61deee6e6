/* SPDX-License-Identifier: Apache-2.0
 * See hooks.h. A hash table whose rows stay, changed under jit_lock and read without a lock: a full one is replaced by
 * a larger copy and stays where it is. */
#include "opt/hooks.h"

#include <stdlib.h>

struct table {
    u64 mask;
    u64 used;
    struct {
        gpc_t pc; /* 0: free */
        u32 kinds;
    } row[];
};

static struct table *current;

static u64 first_row(const struct table *t, gpc_t pc) { return (pc * 0x9e3779b97f4a7c15ul >> 20) & t->mask; }

u32 hook_at(gpc_t pc)
{
    const struct table *t = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (!t)
        return 0;
    for (u64 i = first_row(t, pc);; i = (i + 1) & t->mask) {
        gpc_t found = __atomic_load_n(&t->row[i].pc, __ATOMIC_ACQUIRE);
        if (found == pc)
            return __atomic_load_n(&t->row[i].kinds, __ATOMIC_RELAXED);
        if (!found)
            return 0;
    }
}

static void put(struct table *t, gpc_t pc, u32 kinds)
{
    u64 i = first_row(t, pc);
    while (t->row[i].pc && t->row[i].pc != pc)
        i = (i + 1) & t->mask;
    t->used += !t->row[i].pc;
    __atomic_or_fetch(&t->row[i].kinds, kinds, __ATOMIC_RELAXED);
    __atomic_store_n(&t->row[i].pc, pc, __ATOMIC_RELEASE);
}

static struct table *grown(const struct table *old)
{
    u64 rows = old ? (old->mask + 1) * 2 : 256;
    struct table *t = calloc(1, sizeof *t + rows * sizeof t->row[0]);
    if (!t)
        die(1, "out of memory for replaced routines");
    t->mask = rows - 1;
    for (u64 i = 0; old && i <= old->mask; i++)
        if (old->row[i].pc)
            put(t, old->row[i].pc, old->row[i].kinds);
    return t;
}

bool hook_note(gpc_t pc, enum hook_kind kind)
{
    if (hook_at(pc) & kind)
        return false;
    if (!current || current->used * 2 > current->mask)
        __atomic_store_n(&current, grown(current), __ATOMIC_RELEASE);
    put(current, pc, kind);
    return true;
}

bool hook_forget(gpc_t pc, enum hook_kind kind)
{
    if (!(hook_at(pc) & kind))
        return false;
    u64 i = first_row(current, pc);
    while (current->row[i].pc != pc)
        i = (i + 1) & current->mask;
    __atomic_and_fetch(&current->row[i].kinds, ~(u32)kind, __ATOMIC_RELAXED);
    return true;
}

bool hook_any(void) { return __atomic_load_n(&current, __ATOMIC_RELAXED) != NULL; }

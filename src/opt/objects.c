/* SPDX-License-Identifier: Apache-2.0
 * Owns the memory of the objects of instrumentation (objects.h), which is emptied after each round of callbacks. Under
 * jit_lock. */
#include "opt/objects.h"

#include "os/hostmem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_BYTES (4ul << 20)

/* Memory comes in chunks; the first one is kept. */
struct chunk {
    struct chunk *next; /* older */
    size_t bytes, used;
};

struct table {
    void **entry;
    u32 count, room;
};

u32 fill_only;
static struct table ins_table, bbl_table;
static struct chunk *chunk;

static void *new_chunk(size_t bytes)
{
    struct chunk *c = hostmem_map(bytes, PROT_READ | PROT_WRITE);
    if (!c)
        hostmem_die("instrumentation objects");
    *c = (struct chunk){chunk, bytes, (sizeof *c + 15) & ~15ul};
    return chunk = c;
}

void *objects_alloc(size_t bytes)
{
    bytes = (bytes + 15) & ~15ul;
    if (!chunk || chunk->used + bytes > chunk->bytes)
        new_chunk(bytes + sizeof *chunk + 16 > CHUNK_BYTES ? PAGE_UP(bytes + sizeof *chunk + 16) : CHUNK_BYTES);
    void *p = (u8 *)chunk + chunk->used;
    chunk->used += bytes;
    memset(p, 0, bytes);
    return p;
}

static void *get(const struct table *t, u32 id) { return id && id <= t->count ? t->entry[id - 1] : NULL; }

static u32 add(struct table *t, void *object)
{
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 4096;
        t->entry = realloc(t->entry, t->room * sizeof *t->entry);
        if (!t->entry)
            hostmem_die("instrumentation objects");
    }
    t->entry[t->count++] = object;
    return t->count;
}

struct ins *ins_get(u32 id) { return get(&ins_table, id); }
struct bbl *bbl_get(u32 id) { return get(&bbl_table, id); }

struct ins *ins_new(gpc_t pc, const u8 *bytes, u8 len)
{
    struct ins *i = objects_alloc(sizeof *i);
    i->pc = pc;
    i->len = len;
    memcpy(i->bytes, bytes, len);
    i->original = true;
    i->id = add(&ins_table, i);
    return i;
}

struct bbl *bbl_new(void)
{
    struct bbl *b = objects_alloc(sizeof *b);
    b->id = add(&bbl_table, b);
    return b;
}

void objects_reset(void)
{
    ins_table.count = bbl_table.count = 0;
    while (chunk && chunk->next) {
        struct chunk *c = chunk;
        chunk = c->next;
        hostmem_unmap(c, c->bytes);
    }
    if (chunk)
        chunk->used = (sizeof *chunk + 15) & ~15ul;
}

static bool goes_before(const struct call *a, const struct call *b)
{
    return a->order != b->order ? a->order < b->order : a->serial - 1 <= b->serial - 1;
}

void call_put(struct call **list, struct call *c)
{
    while (*list && (goes_before(*list, c) || (*list)->kind == CALL_THEN))
        list = &(*list)->next;
    c->next = *list;
    *list = c;
}

/* SPDX-License-Identifier: Apache-2.0
 * Storage of JIT-time objects: an arena that is emptied after each callback round. Under jit_lock. */
#include "api/objects.h"

#include "os/linux/hostmem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_OBJECTS 65536u
#define ARENA_BYTES (64ul << 20)

static struct ins **ins_table; /* [MAX_OBJECTS], in the arena's mapping */
static struct bbl **bbl_table;
static u32 nins, nbbls;
static u8 *arena;
static size_t arena_used;

static void make_arena(void)
{
    size_t tables = MAX_OBJECTS * (sizeof *ins_table + sizeof *bbl_table);
    u8 *p = hostmem_map(tables + ARENA_BYTES, PROT_READ | PROT_WRITE);
    if (!p)
        hostmem_die("instrumentation objects");
    ins_table = (struct ins **)p;
    bbl_table = (struct bbl **)(ins_table + MAX_OBJECTS);
    arena = p + tables;
}

void *objects_alloc(size_t bytes)
{
    if (!arena)
        make_arena();
    bytes = (bytes + 15) & ~15ul;
    if (arena_used + bytes > ARENA_BYTES)
        die(1, "a tool inserted more than %lu MiB of calls into one trace", ARENA_BYTES >> 20);
    void *p = arena + arena_used;
    arena_used += bytes;
    memset(p, 0, bytes);
    return p;
}

struct ins *ins_get(u32 id) { return id && id <= nins ? ins_table[id - 1] : NULL; }
struct bbl *bbl_get(u32 id) { return id && id <= nbbls ? bbl_table[id - 1] : NULL; }

struct ins *ins_new(gpc_t pc, const u8 *bytes, u8 len)
{
    if (nins == MAX_OBJECTS)
        die(1, "more than %u instructions are open at once; close routines after use", MAX_OBJECTS);
    struct ins *i = objects_alloc(sizeof *i);
    i->pc = pc;
    i->len = len;
    memcpy(i->bytes, bytes, len);
    i->original = true;
    ins_table[nins] = i;
    i->id = ++nins;
    return i;
}

struct bbl *bbl_new(void)
{
    if (nbbls == MAX_OBJECTS)
        die(1, "more than %u basic blocks are open at once", MAX_OBJECTS);
    struct bbl *b = objects_alloc(sizeof *b);
    bbl_table[nbbls] = b;
    b->id = ++nbbls;
    return b;
}

void objects_reset(void)
{
    nins = nbbls = 0;
    arena_used = 0;
}

void api_misuse(const char *call, const char *file, int line, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    if (file)
        msg("%s: %s (called at %s:%d)", call, text, file, line);
    else
        msg("%s: %s", call, text);
    _exit(1);
}

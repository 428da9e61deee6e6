/* SPDX-License-Identifier: Apache-2.0
 * Memory for the tables of the cache: the directory, records, the index of a region. The first of them, and the table
 * of indirect branches, are together in one large page, where the kernel gives it: a fork copies one entry of its page
 * tables for it, instead of hundreds (FK5). Further ones are in further large pages, as is the code of large regions:
 * to make a small page when it is touched costs as much as the translation that goes there. Under jit_lock. */
#include "cache/cache.h"

#include "base/options.h"
#include "os/hostmem.h"

#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#define FIRST_JOINING 16u /* fork */
/* Larger tables have mappings of their own: above all the index of a region, which is large and mostly empty. So a
 * small program has one such page, and not two. */
#define MOST_IN_BLOCK (256ul << 10)

static struct {
    u8 *start, *next, *end; /* start: of the first one */
} block;

/* Tables that were given back, for others as large: a table that is filled anew goes from one place to another. */
static struct {
    void *table;
    size_t bytes; /* 0: none */
} freed[8];

void tables_use_large(u8 *page, size_t used)
{
    madvise(page, TABLES_LARGE_BYTES, MADV_HUGEPAGE);
    block.start = page;
    block.next = page + PAGE_UP(used);
    block.end = page + TABLES_LARGE_BYTES;
}

/* Whoever writes to the page while a child of a fork shares it has it divided into small ones, which stay so. They
 * become one again now and then, for that costs as much as some forks do: a parent that makes many has soon done all
 * that it does between them. */
void tables_before_fork(void)
{
    static u32 forks FORK_WRITES;
    bool now = ++forks >= FIRST_JOINING && !(forks & (forks - 1));
    if (now && block.start)
        madvise(block.start, TABLES_LARGE_BYTES, MADV_COLLAPSE); /* older kernels and those without memory refuse */
}

void tables_want_large(void *p, size_t bytes)
{
    if (!options.no_large_pages && bytes >= TABLES_LARGE_BYTES)
        madvise(p, bytes, MADV_HUGEPAGE);
}

static void *map(size_t bytes)
{
    bool large = !options.no_large_pages && bytes >= TABLES_LARGE_BYTES;
    void *p = hostmem_map_aligned(bytes, large ? TABLES_LARGE_BYTES : PAGE_BYTES, PROT_READ | PROT_WRITE);
    if (p && large)
        tables_want_large(p, bytes);
    return p;
}

/* A further page for tables, where they have filled the one before. */
static void next_block(size_t bytes)
{
    if (!block.start || bytes > MOST_IN_BLOCK)
        return;
    u8 *p = map(TABLES_LARGE_BYTES);
    if (p)
        block.next = p, block.end = p + TABLES_LARGE_BYTES;
}

static void *take_freed(size_t bytes)
{
    for (u32 i = 0; i < ARRAY_LEN(freed); i++)
        if (freed[i].bytes == bytes) {
            freed[i].bytes = 0;
            return memset(freed[i].table, 0, bytes);
        }
    return NULL;
}

void *tables_map(size_t bytes)
{
    bytes = PAGE_UP(bytes);
    void *again = take_freed(bytes);
    if (again)
        return again;
    if ((size_t)(block.end - block.next) < bytes)
        next_block(bytes);
    if ((size_t)(block.end - block.next) < bytes)
        return map(bytes);
    block.next += bytes;
    return block.next - bytes;
}

bool tables_keep(size_t bytes) { return block.start && PAGE_UP(bytes) <= MOST_IN_BLOCK; }

void tables_unmap(void *table, size_t bytes)
{
    bytes = PAGE_UP(bytes);
    if (!tables_keep(bytes)) {
        hostmem_unmap(table, bytes);
        return;
    }
    u32 i = 0;
    while (i < ARRAY_LEN(freed) - 1 && freed[i].bytes)
        i++;
    freed[i].table = table;
    freed[i].bytes = bytes;
}

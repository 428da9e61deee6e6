/* SPDX-License-Identifier: Apache-2.0
 * Exit records, numbered: a stub stores the number, the dispatcher finds the record. Kept in chunks that a region owns until it has drained. Chunks
 * never move or go back to the system, so exit_get needs no lock. */
#include "cache/cache.h"

#include "os/linux/hostmem.h"

#include <sys/mman.h>

#define CHUNK 1024u
#define MAX_CHUNKS 65536u

static struct exit *chunk[MAX_CHUNKS];
static u32 next_chunk[MAX_CHUNKS]; /* list links (number + 1) */
static u32 nchunks, free_chunks;

struct exit *exit_get(u32 id)
{
    return &chunk[id / CHUNK][id % CHUNK];
}

static u32 take_chunk(void)
{
    u32 c = free_chunks;
    if (c) {
        free_chunks = next_chunk[c - 1];
        return c;
    }
    ASSERT(nchunks < MAX_CHUNKS);
    struct exit *x = hostmem_map(PAGE_UP(CHUNK * sizeof *x), PROT_READ | PROT_WRITE);
    if (!x)
        hostmem_die("exit records");
    chunk[nchunks++] = x;
    return nchunks;
}

u32 exit_alloc(struct region *r, u32 n)
{
    ASSERT(n <= CHUNK);
    if (!r->exit_chunk || r->exit_used + n > CHUNK) {
        u32 c = take_chunk();
        next_chunk[c - 1] = r->exit_chunks;
        r->exit_chunks = r->exit_chunk = c;
        r->exit_used = 0;
    }
    u32 first = (r->exit_chunk - 1) * CHUNK + r->exit_used;
    r->exit_used += n;
    return first;
}

void exit_free_region(struct region *r)
{
    u32 c = r->exit_chunks;
    while (c) {
        u32 after = next_chunk[c - 1];
        next_chunk[c - 1] = free_chunks;
        free_chunks = c;
        c = after;
    }
    r->exit_chunks = r->exit_chunk = r->exit_used = 0;
}

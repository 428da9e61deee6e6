/* SPDX-License-Identifier: Apache-2.0
 * See records.h. Owns the chunks, and the lists of free ones. Under jit_lock. Rule E19. */
#include "cache/cache.h"

#include "os/hostmem.h"

#include <sys/mman.h>

struct byte_chunk {
    struct byte_chunk *next;
    u8 byte[RECORD_BYTES_MAX - sizeof(void *)];
};

void *record_chunk[RECORD_KINDS][RECORD_CHUNKS];
static const size_t record_bytes[] = {[RECORD_EXIT] = sizeof(struct exit), [RECORD_TRACE] = sizeof(struct trace)};
static struct pool {
    u32 nchunks, free;
} pools[RECORD_KINDS];
static u32 next_chunk[RECORD_KINDS][RECORD_CHUNKS]; /* lists of chunks: number + 1 of the next one */
static struct byte_chunk *free_bytes;

/* One free chunk at least; false: no memory. */
static bool have_chunk(enum record_kind k)
{
    struct pool *p = &pools[k];
    if (p->free)
        return true;
    ASSERT(p->nchunks < RECORD_CHUNKS);
    void *chunk = tables_map(RECORD_CHUNK * record_bytes[k]);
    if (!chunk)
        return false;
    record_chunk[k][p->nchunks++] = chunk;
    p->free = p->nchunks;
    return true;
}

static bool have_bytes(void)
{
    if (!free_bytes)
        free_bytes = tables_map(sizeof *free_bytes);
    return free_bytes;
}

bool records_ready(void) { return have_chunk(RECORD_EXIT) && have_chunk(RECORD_TRACE) && have_bytes(); }

static u32 take_chunk(enum record_kind k)
{
    struct pool *p = &pools[k];
    if (!have_chunk(k))
        hostmem_die("trace records");
    u32 c = p->free;
    p->free = next_chunk[k][c - 1];
    return c;
}

static struct byte_chunk *take_bytes(void)
{
    if (!have_bytes())
        hostmem_die("trace records");
    struct byte_chunk *c = free_bytes;
    free_bytes = c->next;
    return c;
}

u32 record_alloc(struct region_records *r, enum record_kind k, u32 n)
{
    ASSERT(n <= RECORD_CHUNK);
    if (!r->of[k].chunk || r->of[k].used + n > RECORD_CHUNK) {
        u32 c = take_chunk(k);
        next_chunk[k][c - 1] = r->of[k].chunks;
        r->of[k].chunks = r->of[k].chunk = c;
        r->of[k].used = 0;
    }
    u32 first = (r->of[k].chunk - 1) * RECORD_CHUNK + r->of[k].used;
    r->of[k].used += n;
    r->of[k].count += n;
    return first;
}

u8 *record_room(struct region_records *r, u32 n)
{
    ASSERT(n <= sizeof r->bytes->byte);
    if (!r->bytes || r->bytes_used + n > sizeof r->bytes->byte) {
        struct byte_chunk *c = take_bytes();
        c->next = r->bytes;
        r->bytes = c;
        r->bytes_used = 0;
    }
    return r->bytes->byte + r->bytes_used;
}

void record_keep_bytes(struct region_records *r, u32 n)
{
    r->bytes_used += n;
    r->bytes_all += n;
}

void records_free(struct region_records *r)
{
    for (enum record_kind k = 0; k < RECORD_KINDS; k++)
        for (u32 c = r->of[k].chunks, after; c; c = after) {
            after = next_chunk[k][c - 1];
            next_chunk[k][c - 1] = pools[k].free;
            pools[k].free = c;
        }
    while (r->bytes) {
        struct byte_chunk *c = r->bytes;
        r->bytes = c->next;
        c->next = free_bytes;
        free_bytes = c;
    }
    *r = (struct region_records){0};
}

/* SPDX-License-Identifier: Apache-2.0
 * See footprint.h. The row of the code cache is the sum of the three rows after it. Code, stubs and records are what
 * is in use of them, dead traces included; stacks are what is touched of them. */
#include "main/footprint.h"

#include "jit/jit_internal.h"
#include "jit/pages.h"
#include "os/hostmem.h"
#include "os/os.h"
#include "os/thread.h"

#include <stdlib.h>

struct sums {
    u64 common, code, stubs, records[RECORD_KINDS], bytes, items;
};

static void add_region(struct sums *s, const struct region *r)
{
    s->common += (u64)(r->code_start - r->base) + sizeof *r;
    s->code += (u64)(r->code_next - r->code_start);
    s->stubs += (u64)(r->end - r->stub_next);
    s->records[RECORD_EXIT] += r->records.of[RECORD_EXIT].count * sizeof(struct exit);
    s->records[RECORD_TRACE] += r->records.of[RECORD_TRACE].count * sizeof(struct trace);
    s->bytes += r->records.bytes_all;
    s->items += r->nitems * sizeof *r->items;
}

u32 footprint(struct footprint_row row[FOOTPRINT_ROWS])
{
    struct sums s = {0};
    jit_lock();
    for (const struct region *r = region_first(); r; r = r->next)
        if (r->state != REGION_FREE)
            add_region(&s, r);
    u64 directory = dir_bytes(), pages = pages_bytes();
    jit_unlock();
    struct os_memory m;
    os_memory(&m);
    const struct footprint_row all[] = {
        {"code cache", s.code + s.stubs + s.common},
        {"code of traces", s.code},
        {"exit stubs and literals", s.stubs},
        {"routines of regions", s.common},
        {"trace records", s.records[RECORD_TRACE]},
        {"exit records", s.records[RECORD_EXIT]},
        {"maps and counters of traces", s.bytes},
        {"index of the cache", s.items},
        {"directory of traces", directory},
        {"table of indirect branches", IBT_ENTRIES * sizeof *ibt},
        {"pages of code", pages},
        {"heap of engine and tool", m.heap},
        {"stacks of further threads", m.stacks},
        {"touched for each further thread", m.nstacks ? m.stacks / m.nstacks : 0},
        {"mapped for each further thread", m.per_thread},
        {"host memory mapped", hostmem_total_bytes()},
        {"host memory resident", hostmem_resident_bytes(0, ~0ul)},
    };
    _Static_assert(ARRAY_LEN(all) <= FOOTPRINT_ROWS, "room for the rows");
    for (u32 i = 0; i < ARRAY_LEN(all); i++)
        row[i] = all[i];
    return ARRAY_LEN(all);
}

struct span {
    gpc_t start, end;
};

static int by_start(const void *a, const void *b)
{
    gpc_t x = ((const struct span *)a)->start, y = ((const struct span *)b)->start;
    return x < y ? -1 : x > y;
}

static u32 collect(struct span *to, u32 room)
{
    u32 n = 0;
    for (const struct region *r = region_first(); r; r = r->next)
        for (u32 i = 0; i < r->nitems && n < room; i++) {
            struct code_item item = region_item(r, i);
            if (item.kind == ITEM_BODY && !(item.trace->flags & (TRACE_DEAD | TRACE_AFTER | TRACE_SINGLE)))
                to[n++] = (struct span){item.trace->pc, item.trace->pc + item.trace->guest_bytes};
        }
    return n;
}

u64 footprint_guest_bytes(void)
{
    u64 room = 0, bytes = 0, seen = 0;
    jit_lock();
    for (const struct region *r = region_first(); r; r = r->next)
        room += r->nitems;
    struct span *span = malloc(room * sizeof *span);
    u32 n = span ? collect(span, (u32)room) : 0;
    jit_unlock();
    qsort(span, n, sizeof *span, by_start);
    for (u32 i = 0; i < n; i++) {
        gpc_t from = span[i].start > seen ? span[i].start : seen;
        bytes += span[i].end > from ? span[i].end - from : 0;
        seen = span[i].end > seen ? span[i].end : seen;
    }
    free(span);
    return bytes;
}

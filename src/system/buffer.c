/* SPDX-License-Identifier: Apache-2.0
 * Trace buffers: each processor has one of each kind that the tool has defined. A record is put there by the callback
 * of its instruction; a full buffer goes to the tool, which gives the next one. A buffer is its processor's: no
 * lock. */
#include "api/insert.h"
#include "linchpin/iarg.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

#define MOST_KINDS 8
#define FIELDS_OF_THEN 8

typedef void *full_fn(u32 id, u32 thread, const void *context, void *buffer, u64 elements, void *arg);

static struct kind {
    u64 record, bytes;
    full_fn *fn;
    void *arg;
} kind[MOST_KINDS + 1]; /* 0 is no buffer */
static u32 nkinds;
static struct buffer {
    u8 *start, *next;
} buffer[MAX_CPUS][MOST_KINDS + 1];

/* --- filling --- */

static void give(struct cpu *c, u32 id)
{
    struct buffer *b = &buffer[c->number][id];
    struct kind *k = &kind[id];
    u8 *next = k->fn(id, c->number, c, b->start, (u64)(b->next - b->start) / k->record, k->arg);
    if (!next)
        api_misuse("PIN_DefineTraceBuffer", NULL, 0, "the function for full buffers has returned no buffer");
    *b = (struct buffer){next, next};
}

void buffer_put(struct cpu *c, const struct fill *f, const u64 *value)
{
    struct buffer *b = &buffer[c->number][f->id];
    for (u32 i = 0; i < f->n; i++) {
        u8 *to = b->next + f->field[i].offset;
        switch (f->field[i].bytes) {
        case 1: *to = (u8)value[i]; break;
        case 4: *(u32 *)to = (u32)value[i]; break;
        default: *(u64 *)to = value[i]; break;
        }
    }
    b->next += f->record;
    if (b->next + f->record > b->start + kind[f->id].bytes)
        give(c, f->id);
}

/* What is inserted: a call, whose first arguments are the processor and the shape of the record. */
static void put_record(struct cpu *c, const struct fill *f, u64 a, u64 b, u64 d, u64 e, u64 g, u64 h, u64 i, u64 j,
                       u64 k, u64 l, u64 m, u64 n)
{
    buffer_put(c, f, (const u64[]){a, b, d, e, g, h, i, j, k, l, m, n});
}

/* --- insertion --- */

static u32 field_bytes(u16 iarg)
{
    switch (iarg) {
    case IARG_BOOL: case IARG_BRANCH_TAKEN: case IARG_EXECUTING: case IARG_FIRST_REP_ITERATION: return 1;
    case IARG_UINT32: case IARG_MEMORYREAD_SIZE: case IARG_MEMORYWRITE_SIZE: case IARG_MEMORYOP_SIZE:
    case IARG_THREAD_ID: case IARG_PRIVILEGE:
        return 4;
    }
    return 8;
}

static const struct fill *make_fill(const char *name, u32 id, const struct arg_list *list)
{
    if (!id || id > nkinds)
        api_misuse(name, list->file, list->line, "%u is not a trace buffer", id);
    struct fill *f = plan_alloc(sizeof *f);
    *f = (struct fill){.id = id, .n = list->n, .record = (u32)kind[id].record};
    if (list->n > MOST_VALUES - 2 || list->return_reg)
        system_refuse(name, "a record of more than 12 fields, or a result");
    for (u32 i = 0; i < list->n; i++) {
        f->field[i].offset = list->arg[i].offset;
        f->field[i].bytes = field_bytes(list->arg[i].iarg);
        if (f->field[i].offset + f->field[i].bytes > kind[id].record)
            api_misuse(name, list->file, list->line, "field %u does not go into a record of %lu bytes", i,
                       kind[id].record);
    }
    return f;
}

static void insert_fill(const char *name, u32 ins, int point, u32 id, enum call_kind how, bool predicated, va_list ap)
{
    struct arg_list list;
    arg_list_init(&list);
    list.fields = true;
    arg_list_read(name, &list, ap);
    const struct fill *f = make_fill(name, id, &list);
    struct call *c = objects_alloc(sizeof *c + (2u + list.n) * sizeof c->arg[0]);
    *c = (struct call){.fn = (void *)put_record, .name = name, .order = list.order, .serial = list.serial,
        .file = list.file, .line = list.line, .nargs = (u16)(2 + list.n), .kind = (u8)how, .predicated = predicated,
        .fill = f};
    c->arg[0] = (struct call_arg){.iarg = IARG_CONST_CONTEXT};
    c->arg[1] = (struct call_arg){.iarg = IARG_PTR, .value = (u64)f};
    memcpy(c->arg + 2, list.arg, list.n * sizeof list.arg[0]);
    insert_made(name, ins, point, c);
}

#define INSERT_FILL(function, how, predicated)                                   \
    void function(u32 ins, int point, u32 id, ...)                               \
    {                                                                            \
        va_list ap;                                                              \
        va_start(ap, id);                                                        \
        insert_fill(#function, ins, point, id, how, predicated, ap);             \
        va_end(ap);                                                              \
    }

INSERT_FILL(INS_InsertFillBuffer, CALL_PLAIN, false)
INSERT_FILL(INS_InsertFillBufferPredicated, CALL_PLAIN, true)
INSERT_FILL(INS_InsertFillBufferThen, CALL_THEN, false)

/* --- buffers --- */

u32 PIN_DefineTraceBuffer(size_t record, u32 pages, full_fn *fn, void *arg)
{
    if (!record || record > pages * PAGE_BYTES || !fn)
        api_misuse("PIN_DefineTraceBuffer", NULL, 0,
                   "no record of %lu bytes goes into %u pages, or there is no function for full buffers", record,
                   pages);
    if (nkinds == MOST_KINDS)
        return 0;
    kind[++nkinds] = (struct kind){record, pages * PAGE_BYTES, fn, arg};
    return nkinds;
}

void *PIN_AllocateBuffer(u32 id)
{
    if (!id || id > nkinds)
        api_misuse("PIN_AllocateBuffer", NULL, 0, "%u is not a trace buffer", id);
    void *p = aligned_alloc(PAGE_BYTES, kind[id].bytes);
    if (!p)
        die(1, "out of memory for trace buffers (%lu bytes)", kind[id].bytes);
    return p;
}

void PIN_DeallocateBuffer(u32 id, void *b)
{
    (void)id;
    free(b);
}

void *PIN_GetBufferPointer(void *context, u32 id)
{
    u32 n = context ? ((struct cpu *)context)->number : cpu_now;
    return id && id <= nkinds && n < MAX_CPUS ? buffer[n][id].next : NULL;
}

void buffers_start(u32 cpu)
{
    for (u32 id = 1; id <= nkinds; id++) {
        u8 *p = PIN_AllocateBuffer(id);
        buffer[cpu][id] = (struct buffer){p, p};
    }
}

void buffers_end(u32 cpu)
{
    for (u32 id = 1; id <= nkinds; id++)
        if (buffer[cpu][id].next > buffer[cpu][id].start)
            give(&cpus[cpu], id);
}

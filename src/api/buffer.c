/* SPDX-License-Identifier: Apache-2.0
 * Trace buffers: each guest thread has one of each kind that the tool has defined. A record is filled inline
 * (opt/fill.h, by struct fill), or by an If call (buffer_fill), which says when there is no room for another one; its
 * Then call gives the buffer to the tool and takes the next one from it. Buffers are the thread's own: no lock. */
#include "api/buffer.h"

#include "api/callbacks.h"
#include "api/insert.h"
#include "arch/arch.h"
#include "base/options.h"
#include "jit/events.h"
#include "linchpin/iarg.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BUFFERS THREAD_BUFFERS
#define PAGE 4096ul
#define SLACK 64
#define SPARES 4

typedef void *full_fn(u32 id, u32 thread, const void *context, void *buffer, u64 elements, void *arg);

static struct kind {
    u64 record, bytes;
    full_fn *fn;
    void *arg;
    void *spare[SPARES]; /* given back, and taken again before there is new memory */
} kind[MAX_BUFFERS + 1]; /* 0 is no buffer */
static u32 nkinds;

static struct fill *fills;

/* --- filling ---------------------------------------------------------------------------------------------------- */

static u64 buffer_fill(const struct fill *f, ...)
{
    struct trace_buffer *o = &vm_tc.opt.buffer[f->id];
    u8 *record = o->next;
    va_list ap;
    va_start(ap, f);
    for (u32 i = 0; i < f->n; i++) {
        u64 v = va_arg(ap, u64);
        u8 *to = record + f->field[i].offset;
        switch (f->field[i].bytes) {
        case 1: *to = (u8)v; break;
        case 4: *(u32 *)to = (u32)v; break;
        default: *(u64 *)to = v; break;
        }
    }
    va_end(ap);
    o->next = record + f->record;
    return o->next > o->last;
}

static u32 most(const struct kind *k) { return (u32)(k->bytes / k->record); }
static u32 slack(const struct kind *k) { return most(k) / 8 < SLACK ? most(k) / 8 : SLACK; }

static void use(struct thread *t, u32 id, u8 *buffer)
{
    struct kind *k = &kind[id];
    u8 *last = buffer + k->bytes - k->record;
    t->opt.buffer[id] = (struct trace_buffer){buffer, buffer, last, last - slack(k) * k->record};
}

static void give(struct thread *t, u32 id, const void *context)
{
    struct trace_buffer *o = &t->opt.buffer[id];
    struct kind *k = &kind[id];
    u8 *next = k->fn(id, t->id, context, o->start, (u64)(o->next - o->start) / k->record, k->arg);
    if (!next)
        api_misuse("PIN_DefineTraceBuffer", NULL, 0, "the function for full buffers has returned no buffer");
    use(t, id, next);
}

static void buffer_full(u32 id, const void *context) { give(&vm_tc, id, context); }

/* For records under a condition of the tool's: the check for room and the record are one call, which is the tool's Then
 * part. */
static void buffer_fill_all(const void *context, const struct fill *f, u64 a, u64 b, u64 c, u64 d, u64 e, u64 g, u64 h,
                            u64 i)
{
    if (buffer_fill(f, a, b, c, d, e, g, h, i))
        give(&vm_tc, f->id, context);
}

/* --- insertion -------------------------------------------------------------------------------------------------- */

static u32 field_bytes(u16 iarg)
{
    switch (iarg) {
    case IARG_BOOL: case IARG_BRANCH_TAKEN: case IARG_EXECUTING: case IARG_FIRST_REP_ITERATION:
    case IARG_MEMORYOP_MASKED_ON:
        return 1;
    case IARG_UINT32: case IARG_MEMORYREAD_SIZE: case IARG_MEMORYWRITE_SIZE: case IARG_MEMORYOP_SIZE:
    case IARG_THREAD_ID:
        return 4;
    case IARG_PTR: case IARG_UINT64: case IARG_TSC: case IARG_MEMORYOP_PTR: case IARG_MEMORYREAD_PTR:
    case IARG_MEMORYREAD2_PTR: case IARG_MEMORYWRITE_PTR: case IARG_ORIG_FUNCPTR:
        return 8;
    }
    return arch_narrow_tool ? 4 : 8; /* ADDRINT */
}

static const struct fill *keep(const struct fill *want)
{
    for (struct fill *f = fills; f; f = f->next)
        if (f->id == want->id && f->n == want->n && memcmp(f->field, want->field, want->n * sizeof want->field[0]) == 0)
            return f;
    struct fill *f = malloc(sizeof *f);
    if (!f)
        die(1, "out of memory for trace buffers");
    *f = *want;
    f->next = fills;
    return fills = f;
}

static const struct fill *make_fill(const char *name, u32 id, const struct arg_list *list, u32 max)
{
    if (!id || id > nkinds)
        api_misuse(name, list->file, list->line, "%u is not a trace buffer", id);
    struct fill f = {.id = id, .n = list->n, .record = (u32)kind[id].record, .most = most(&kind[id]),
        .slack = slack(&kind[id])};
    if (list->n > max || list->return_reg)
        api_misuse(name, list->file, list->line, "more than %u fields, or a result", max);
    for (u32 i = 0; i < list->n; i++) {
        f.field[i].offset = list->arg[i].offset;
        f.field[i].bytes = field_bytes(list->arg[i].iarg);
        if (list->arg[i].iarg == IARG_CONTEXT || list->arg[i].iarg == IARG_CONST_CONTEXT ||
            f.field[i].offset + f.field[i].bytes > kind[id].record)
            api_misuse(name, list->file, list->line, "field %u does not go into a record of %lu bytes", i,
                       kind[id].record);
    }
    return keep(&f);
}

static struct call *make_call(const char *name, void *fn, const struct arg_list *list, const struct call_arg *first,
                              u32 nfirst, bool fields)
{
    u32 n = nfirst + (fields ? list->n : 0);
    struct call *c = objects_alloc(sizeof *c + n * sizeof c->arg[0]);
    *c = (struct call){.fn = fn, .name = name, .order = list->order, .serial = list->serial, .file = list->file,
        .line = list->line, .nargs = (u16)n};
    memcpy(c->arg, first, nfirst * sizeof *first);
    if (fields)
        memcpy(c->arg + nfirst, list->arg, list->n * sizeof list->arg[0]);
    return c;
}

static void insert_fill(const char *name, u32 ins, int point, u32 id, bool predicated, va_list ap)
{
    struct arg_list list;
    arg_list_init(&list);
    list.fields = true;
    arg_list_read(name, &list, ap);
    const struct fill *f = make_fill(name, id, &list, FILL_MAX_FIELDS);
    struct call_arg put[] = {{.iarg = IARG_PTR, .value = (u64)f}},
                    full[] = {{.iarg = IARG_UINT32, .value = id}, {.iarg = IARG_CONST_CONTEXT}};
    struct call *if_call = make_call(name, (void *)buffer_fill, &list, put, 1, true),
                *then = make_call(name, (void *)buffer_full, &list, full, 2, false);
    if_call->kind = CALL_IF;
    if_call->fill = then->fill = f;
    then->kind = CALL_THEN;
    if_call->predicated = then->predicated = predicated;
    insert_made(name, ins, point, if_call);
    insert_made(name, ins, point, then);
}

void INS_InsertFillBuffer(u32 ins, int point, u32 id, ...)
{
    va_list ap;
    va_start(ap, id);
    insert_fill("INS_InsertFillBuffer", ins, point, id, false, ap);
    va_end(ap);
}

/* Before the block, or after its last instruction. */
void BBL_InsertFillBuffer(u32 bbl, int point, u32 id, ...)
{
    static const char name[] = "BBL_InsertFillBuffer";
    const struct bbl *b = bbl_get(bbl);
    va_list ap;
    va_start(ap, id);
    if (!b) {
        struct arg_list list;
        arg_list_init(&list);
        list.fields = true;
        arg_list_read(name, &list, ap);
        api_misuse(name, list.file, list.line, "the basic block handle %u is not valid here", bbl);
    }
    insert_fill(name, point == IPOINT_AFTER || point == IPOINT_TAKEN_BRANCH ? b->tail : b->head, point, id, false, ap);
    va_end(ap);
}

void INS_InsertFillBufferPredicated(u32 ins, int point, u32 id, ...)
{
    va_list ap;
    va_start(ap, id);
    insert_fill("INS_InsertFillBufferPredicated", ins, point, id, true, ap);
    va_end(ap);
}

void INS_InsertFillBufferThen(u32 ins, int point, u32 id, ...)
{
    static const char name[] = "INS_InsertFillBufferThen";
    struct arg_list list;
    va_list ap;
    arg_list_init(&list);
    list.fields = true;
    va_start(ap, id);
    arg_list_read(name, &list, ap);
    va_end(ap);
    struct call_arg first[] = {{.iarg = IARG_CONST_CONTEXT},
        {.iarg = IARG_PTR, .value = (u64)make_fill(name, id, &list, 8)}};
    struct call *c = make_call(name, (void *)buffer_fill_all, &list, first, 2, true);
    c->kind = CALL_THEN;
    insert_made(name, ins, point, c);
}

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static void make_room(void)
{
    struct bridge_state state;
    callbacks_context(&state, &vm_tc.cpu);
    give(&vm_tc, 1, &state);
}

/* A restartable sequence that is interrupted between the If call and the Then call of a record goes on at its abort
 * address, without the Then call. */
static void make_up(void)
{
    struct bridge_state state;
    for (u32 id = 1; vm_tc.tool.has_buffers && id <= nkinds; id++)
        if (vm_tc.opt.buffer[id].next > vm_tc.opt.buffer[id].last) {
            callbacks_context(&state, &vm_tc.cpu);
            give(&vm_tc, id, &state);
        }
}

u32 PIN_DefineTraceBuffer(size_t record, u32 pages, full_fn *fn, void *arg)
{
    if (!record || record > pages * PAGE || !fn)
        api_misuse("PIN_DefineTraceBuffer", NULL, 0,
                   "no record of %lu bytes goes into %u pages, or there is no function for full buffers", record,
                   pages);
    if (nkinds == MAX_BUFFERS)
        return 0;
    kind[++nkinds] = (struct kind){record, pages * PAGE, fn, arg, {NULL}};
    jit_events.buffer_full = make_room;
    jit_events.buffer_left = make_up;
    fill_only = nkinds == 1 && slack(&kind[1]) >= 4;
    return nkinds;
}

/* One that was given back. Any thread. */
static void *take_spare(struct kind *k)
{
    void *p = NULL;
    for (u32 i = 0; i < SPARES && !p; i++)
        p = __atomic_exchange_n(&k->spare[i], NULL, __ATOMIC_ACQ_REL);
    return p;
}

void *PIN_AllocateBuffer(u32 id)
{
    if (!id || id > nkinds)
        api_misuse("PIN_AllocateBuffer", NULL, 0, "%u is not a trace buffer", id);
    void *p = take_spare(&kind[id]);
    const char *how = p ? "found" : "Allocated";
    if (!p)
        p = aligned_alloc(PAGE, kind[id].bytes);
    if (!p)
        die(1, "out of memory for trace buffers (%lu bytes)", kind[id].bytes);
    if (options_message_class("log_buffer"))
        msg("%s buffer %p of trace buffer %u: %lu bytes", how, p, id, kind[id].bytes);
    return p;
}

void PIN_DeallocateBuffer(u32 id, void *buffer)
{
    for (u32 i = 0; buffer && id && id <= nkinds && i < SPARES; i++) {
        void *none = NULL;
        if (__atomic_compare_exchange_n(&kind[id].spare[i], &none, buffer, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return;
    }
    free(buffer);
}

void *PIN_GetBufferPointer(void *context, u32 id)
{
    (void)context;
    return id && id <= nkinds && vm_tc.tool.has_buffers ? vm_tc.opt.buffer[id].next : NULL;
}

bool buffer_any(void) { return nkinds; }

void buffer_thread_start(struct thread *t)
{
    if (!nkinds)
        return;
    t->tool.has_buffers = true;
    for (u32 id = 1; id <= nkinds; id++)
        if (!t->opt.buffer[id].start)
            use(t, id, PIN_AllocateBuffer(id));
}

void buffer_thread_end(struct thread *t, const void *context)
{
    for (u32 id = 1; t->tool.has_buffers && id <= nkinds; id++)
        if (t->opt.buffer[id].next > t->opt.buffer[id].start)
            give(t, id, context);
}

/* SPDX-License-Identifier: Apache-2.0
 * See rtn_insert.h. Calls at the start and before the returns of routines (RTN_InsertCall), and at single instructions
 * of a routine that was open (kept by address). Recorded from image and routine callbacks, used when traces are made;
 * all under jit_lock. A call is copied into each trace that needs it. */
#include "api/rtn_insert.h"

#include "api/insert.h"
#include "api/replace.h"
#include "api/rtn_tail.h"
#include "facts.h"
#include "image/image.h"
#include "jit/events.h"
#include "jit/instrument.h"
#include "linchpin/iarg.h"

#include <stdlib.h>
#include <string.h>

struct pinned {
    gpc_t pc;
    struct call *before, *after, *taken;
    struct ins_change *change;
    bool deleted;
    struct pinned *next;
};

/* By address: a tool may insert at every instruction of every routine, so the table grows with what is in it. */
static struct {
    struct pinned **bucket;
    u64 n, mask; /* of buckets, less one */
} table;

static struct call *copy(const struct call *c, void *(*get)(size_t))
{
    size_t bytes = sizeof *c + c->nargs * sizeof c->arg[0];
    struct call *n = get(bytes);
    if (!n)
        die(1, "out of memory for inserted calls");
    memcpy(n, c, bytes);
    n->next = NULL;
    return n;
}

/* Copies the calls of `from` into the list, by their order; a THEN stays after its IF. */
static void append(struct call **list, const struct call *from, void *(*get)(size_t))
{
    struct call *last = NULL;
    for (; from; from = from->next) {
        struct call *c = copy(from, get);
        if (from->kind == CALL_THEN && last) {
            c->next = last->next;
            last->next = c;
        } else {
            call_put(list, c);
        }
        last = c;
    }
}

/* Instructions that follow each other are looked up one after the other, so their buckets are neighbours. */
static struct pinned **place_of(gpc_t pc)
{
    struct pinned **at = &table.bucket[((pc >> 2) + (pc >> 20) * 0x9e3779b97f4a7c15u) & table.mask];
    while (*at && (*at)->pc != pc)
        at = &(*at)->next;
    return at;
}

static struct pinned *pinned_at(gpc_t pc) { return table.n ? *place_of(pc) : NULL; }

static void *get_zeroed(u64 n, size_t bytes)
{
    void *p = calloc(n, bytes);
    if (!p)
        die(1, "out of memory for inserted calls");
    return p;
}

static void grow(void)
{
    struct pinned **old = table.bucket;
    u64 buckets = old ? table.mask + 1 : 0;
    table.mask = (old ? buckets * 4 : 1024) - 1;
    table.bucket = get_zeroed(table.mask + 1, sizeof *old);
    for (u64 b = 0; b < buckets; b++)
        for (struct pinned *p = old[b], *next; p; p = next) {
            next = p->next;
            p->next = NULL;
            *place_of(p->pc) = p;
        }
    free(old);
}

static struct pinned *add_pinned(gpc_t pc)
{
    if (!table.bucket || table.n > table.mask)
        grow();
    struct pinned **at = place_of(pc);
    *at = get_zeroed(1, sizeof **at);
    (*at)->pc = pc;
    table.n++;
    return *at;
}

static void apply(struct ins *i)
{
    const struct rtn *r = rtn_find(i->pc);
    if (r && r->before && r->start == i->pc)
        append(&i->before, r->before, objects_alloc);
    const struct rtn *whole = r ? rtn_whole(r) : NULL;
    if (whole && whole->after) {
        if (facts_of(i)->flags & FACT_FLAG_RET)
            append(&i->before, whole->after, objects_alloc);
        else
            rtn_tail_apply(whole, i);
    }
    const struct pinned *p = pinned_at(i->pc);
    if (!p)
        return;
    append(&i->before, p->before, objects_alloc);
    append(&i->after, p->after, objects_alloc);
    append(&i->taken, p->taken, objects_alloc);
    i->deleted = p->deleted;
    if (p->change) {
        i->change = objects_alloc(sizeof *i->change);
        *i->change = *p->change;
    }
}

static void pin(const struct ins *i)
{
    struct pinned *p = pinned_at(i->pc);
    if (!p)
        p = add_pinned(i->pc);
    append(&p->before, i->before, malloc);
    append(&p->after, i->after, malloc);
    append(&p->taken, i->taken, malloc);
    p->deleted |= i->deleted;
    if (i->change) {
        p->change = p->change ? p->change : malloc(sizeof *p->change);
        if (!p->change)
            die(1, "out of memory for inserted calls");
        *p->change = *i->change;
    }
    jit_events.instrument = apply;
}

static void on_close(struct rtn *r, u32 head)
{
    (void)r;
    for (struct ins *i = ins_get(head); i; i = ins_get(i->next))
        if (i->before || i->after || i->taken || i->deleted || i->change)
            pin(i);
    if (!instrument_running()) /* else they go with the trace's */
        objects_reset();
}

static void free_list(struct call *c)
{
    while (c) {
        struct call *next = c->next;
        free(c);
        c = next;
    }
}

static void unpin(struct pinned **at)
{
    struct pinned *p = *at;
    *at = p->next;
    table.n--;
    free_list(p->before);
    free_list(p->after);
    free_list(p->taken);
    free(p->change);
    free(p);
}

static void on_free(struct rtn *r)
{
    free_list(r->before);
    free_list(r->after);
    r->before = r->after = NULL;
    replace_forget(r->start);
    for (gpc_t pc = r->start; table.n && pc < r->end; pc++)
        if (pinned_at(pc))
            unpin(place_of(pc));
}

void rtn_insert_forget(void)
{
    image_lock();
    for (const struct image *im = image_first(); im; im = im->next)
        for (u32 i = 0; i < im->nrtns; i++)
            on_free(im->rtn[i]);
    image_unlock();
    jit_events.instrument = NULL;
}

void rtn_insert_init(void)
{
    rtn_close_hook = on_close;
    rtn_free_hook = on_free;
}

void RTN_InsertCall(u32 rtn, int point, void *fn, ...)
{
    va_list ap;
    va_start(ap, fn);
    struct call *c = insert_read("RTN_InsertCall", fn, ap);
    va_end(ap);
    struct rtn *r = rtn_get(rtn);
    if (!r)
        api_misuse("RTN_InsertCall", c->file, c->line, "the routine handle %u is not valid", rtn);
    if (point != IPOINT_BEFORE && point != IPOINT_AFTER)
        api_misuse("RTN_InsertCall", c->file, c->line,
                   "only IPOINT_BEFORE and IPOINT_AFTER have a meaning for a routine");
    if (instrument_running())
        api_misuse("RTN_InsertCall", c->file, c->line, RTN_NOT_SUPPORTED, "RTN_InsertCall");
    append(point == IPOINT_BEFORE ? &r->before : &r->after, c, malloc);
    jit_events.instrument = apply;
}

/* SPDX-License-Identifier: Apache-2.0
 * See form.h. Owns the forms of all routines that were looked at. Under jit_lock. */
#include "opt/form.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 256
#define SLOTS 2048 /* a power of two, more than three times FORM_MAX */

static struct form *bucket[BUCKETS];

/* A routine being read. slot: operations by their addresses, hashed; -1: empty. */
static struct reader {
    struct rop op[FORM_MAX];
    s16 slot[SLOTS];
    u64 todo[FORM_MAX];
    u32 n, ntodo;
    bool cut;
} reader;

static s16 *slot_of(struct reader *r, u64 at)
{
    u32 h = (u32)(at * 0x9e3779b97f4a7c15ul >> 40) % SLOTS;
    while (r->slot[h] >= 0 && r->op[r->slot[h]].at != at)
        h = (h + 1) % SLOTS;
    return &r->slot[h];
}

static void later(struct reader *r, u64 at)
{
    if (r->ntodo < FORM_MAX)
        r->todo[r->ntodo++] = at;
    else
        r->cut = true;
}

static bool branches(const struct rop *op) { return op->target && op->kind != ROP_CALL; }
static bool goes_on(const struct rop *op) { return op->kind != ROP_JUMP && op->kind != ROP_RETURN && op->bytes; }

/* Reads operations in a row from `at` on. */
static void read_from(struct reader *r, u64 at)
{
    for (s16 *slot; *(slot = slot_of(r, at)) < 0;) {
        if (r->n == FORM_MAX) {
            r->cut = true;
            return;
        }
        struct rop *op = &r->op[r->n];
        arch_lift(at, op);
        *slot = (s16)r->n++;
        if (branches(op))
            later(r, op->target);
        if (!goes_on(op))
            return;
        at += op->bytes;
    }
}

static void connect(struct reader *r)
{
    for (u32 i = 0; i < r->n; i++) {
        struct rop *op = &r->op[i];
        op->next = goes_on(op) ? *slot_of(r, op->at + op->bytes) : ROP_END;
        op->taken = branches(op) ? *slot_of(r, op->target) : op->next;
        if (op->kind == ROP_JUMP)
            op->next = op->taken;
    }
}

static struct form *make(u64 fn)
{
    struct reader *r = &reader;
    r->n = r->ntodo = 0;
    r->cut = false;
    memset(r->slot, -1, sizeof r->slot);
    later(r, fn);
    while (r->ntodo)
        read_from(r, r->todo[--r->ntodo]);
    connect(r);
    struct form *f = malloc(sizeof *f + r->n * sizeof f->op[0]);
    if (!f)
        die(1, "out of memory for analysis routines");
    *f = (struct form){.fn = fn, .n = r->n, .cut = r->cut};
    memcpy(f->op, r->op, r->n * sizeof f->op[0]);
    return f;
}

const struct form *form_of(const void *fn)
{
    struct form **b = &bucket[(u64)fn >> 4 & (BUCKETS - 1)];
    for (const struct form *f = *b; f; f = f->next)
        if (f->fn == (u64)fn)
            return f;
    struct form *f = make((u64)fn);
    f->next = *b;
    return *b = f;
}

/* SPDX-License-Identifier: Apache-2.0
 * See body.h. Owns the bodies of all routines that were looked at. A routine is followed along its branches; only
 * operations that can be written elsewhere are taken. Under jit_lock. */
#include "opt/body.h"

#include "base/options.h"
#include "opt/form.h"
#include "opt/routine.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 256
#define LOOK_AHEAD 96 /* operations of the rest that are looked at */
#define ALL ((reg_set)~0)

static struct known {
    const void *fn;
    struct body body;
    struct known *next;
} * bucket[BUCKETS];

/* --- reading -------------------------------------------------------------------------------------- */

struct scan {
    const struct form *form;
    struct body_op op[BODY_MAX];
    s16 of[BODY_MAX];    /* the operation of the form that op[i] was made from */
    s16 place[FORM_MAX]; /* for an operation of the form: its place in op; -1: not there yet */
    s16 todo[BODY_MAX * 2 + 1];
    u32 n, ntodo;
    bool parts; /* the routine may be inlined in part */
    struct body *body;
};

/* Why the operation cannot be written elsewhere, NULL: it can. */
static const char *why_not(const struct rop *op)
{
    bool returns = op->kind == ROP_RETURN && !op->value;
    switch (op->kind) {
    case ROP_OPAQUE:
    case ROP_PUSH:
    case ROP_POP:
    case ROP_LEAVE:
    case ROP_CALL: return "it is no plain code of the integer unit";
    case ROP_JUMP: return op->target ? NULL : "it is no plain code of the integer unit";
    default: break;
    }
    if (!returns && (op->reads | op->writes) >> rop_registers.stack & 1)
        return "it uses the stack";
    return !returns && op->next == ROP_END ? "it is too large to inline" : NULL;
}

/* Takes one operation, or cuts the routine there. *next: where it goes on; ROP_END: nowhere. */
static const char *read_or_cut(struct scan *s, s16 i, s16 *next)
{
    const struct rop *op = &s->form->op[i];
    struct body_op *x = &s->op[s->n];
    const char *why = why_not(op);
    *x = (struct body_op){.op = *op, .value_arg = -1, .disp_arg = -1};
    *next = ROP_END;
    if (why) {
        if (!s->parts || !s->n)
            return why;
        x->op.kind = ROP_OPAQUE;
        x->rest = true;
    } else {
        x->relative = rop_has_memory(op) && rop_is_absolute(op);
        if (op->kind != ROP_RETURN && op->kind != ROP_JUMP)
            *next = op->next;
        if (op->kind == ROP_BRANCH || op->kind == ROP_JUMP)
            s->todo[s->ntodo++] = op->taken;
    }
    s->of[s->n] = i;
    s->place[i] = (s16)s->n++;
    return NULL;
}

/* --- the order in which it is written ------------------------------------------------------------- */

/* Where execution goes on from operation `at` of the form: jumps are followed. */
static s16 leads_to(const struct scan *s, s16 at)
{
    s16 i = at == ROP_END ? ROP_END : s->place[at];
    for (u32 hops = 0; i != ROP_END && !s->op[i].rest && s->op[i].op.kind == ROP_JUMP && hops < s->n; hops++)
        i = s->place[s->form->op[s->of[i]].taken];
    return i != ROP_END && s->op[i].op.kind == ROP_RETURN ? ROP_END : i;
}

static bool is_rest(const struct scan *s, s16 i) { return i != ROP_END && s->op[i].rest; }

/* Sets next and taken of each operation. An operation after which only the rest can come becomes part of the rest. */
static void find_ways(struct scan *s)
{
    bool more = true;
    for (u32 i = 0; i < s->n; i++) {
        struct rop *op = &s->op[i].op;
        const struct rop *from = &s->form->op[s->of[i]];
        op->next = leads_to(s, from->next);
        op->taken = op->kind == ROP_BRANCH ? leads_to(s, from->taken) : op->next;
    }
    while (more) {
        more = false;
        for (u32 i = 0; i < s->n; i++) {
            struct body_op *x = &s->op[i];
            if (!x->rest && x->op.kind != ROP_JUMP && x->op.kind != ROP_RETURN && is_rest(s, x->op.next) &&
                is_rest(s, x->op.taken))
                x->rest = more = true;
        }
    }
}

/* Puts the operations into the order in which they are written: each after the one that falls through to it, where that
 * is possible, and all rests last. */
static const char *order(struct scan *s)
{
    static struct body_op out[BODY_MAX];
    s16 todo[BODY_MAX + 1], now[BODY_MAX];
    u32 n = 0, ntodo = 0;
    memset(now, -1, sizeof now);
    todo[ntodo++] = leads_to(s, 0);
    while (ntodo) {
        s16 i = todo[--ntodo];
        while (i != ROP_END && !s->op[i].rest && now[i] < 0) {
            const struct rop *op = &s->op[i].op;
            bool other = op->taken != ROP_END && !is_rest(s, op->taken) && now[op->taken] < 0,
                 straight = op->next != ROP_END && !is_rest(s, op->next) && now[op->next] < 0;
            now[i] = (s16)n;
            out[n++] = s->op[i];
            if (op->kind == ROP_JUMP)
                return "it never ends";
            if (straight && other)
                todo[ntodo++] = op->taken;
            i = straight ? op->next : op->taken;
        }
    }
    s->body->code = (u16)n;
    for (u32 i = 0; i < s->n; i++)
        if (s->op[i].rest) {
            now[i] = (s16)n;
            out[n++] = s->op[i];
        }
    for (u32 i = 0; i < s->body->code; i++) {
        struct rop *op = &out[i].op;
        op->taken = op->taken == ROP_END ? ROP_END : now[op->taken];
        op->next = op->next == ROP_END ? ROP_END : now[op->next];
    }
    memcpy(s->op, out, n * sizeof out[0]);
    s->n = n;
    return NULL;
}

/* The registers that the rest, from operation i of the form on, reads before it writes them. */
static reg_set rest_reads(const struct form *f, s16 i, int *budget)
{
    reg_set live;
    if (--*budget <= 0 || i == ROP_END)
        return ALL;
    const struct rop *op = &f->op[i];
    switch (op->kind) {
    case ROP_CALL:
        return op->target ? rest_reads(f, op->next, budget) | rop_registers.call_reads
                          : ALL; /* an unknown function: a compiler may know what it leaves alone */
    case ROP_RETURN: live = rop_registers.return_reads; break;
    case ROP_BRANCH: live = rest_reads(f, op->taken, budget) | rest_reads(f, op->next, budget); break;
    case ROP_OPAQUE:
        if (op->target || !op->bytes)
            return ALL;
        /* fall through */
    default: live = rest_reads(f, op->next, budget);
    }
    return (live & (reg_set)~op->kills) | op->reads;
}

/* The operation of the form that is at that address. */
static s16 find_at(const struct form *f, u64 at)
{
    for (u32 i = 0; i < f->n; i++)
        if (f->op[i].at == at)
            return (s16)i;
    return ROP_END;
}

/* Finds the places where the body is left for the rest. An error unless there is a way to the routine's end without the
 * rest: then the body would always be left. */
static const char *cut(struct scan *s)
{
    struct body *body = s->body;
    bool returns = !s->n, used[BODY_MAX] = {0};
    reg_set writes = 0;
    for (u32 i = 0; i < body->code; i++) {
        const struct rop *op = &s->op[i].op;
        writes |= op->writes;
        returns |= op->taken == ROP_END || op->next == ROP_END;
        for (u32 k = body->code; k < s->n; k++)
            if (op->taken == (s16)k || op->next == (s16)k) {
                used[k] = true;
                body->ways++;
            }
    }
    for (u32 i = body->code; i < s->n; i++) {
        struct body_op *x = &s->op[i];
        int budget = LOOK_AHEAD;
        if (used[i])
            x->live = rest_reads(s->form, find_at(s->form, x->op.at), &budget) & (writes | rop_registers.arguments);
    }
    if (!returns)
        return "it always calls or uses the stack";
    return body->ways > BODY_WAYS ? "it has too many parts that call or use the stack" : NULL;
}

static const char *read_body(struct scan *s)
{
    s->n = s->ntodo = 0;
    memset(s->place, -1, sizeof s->place);
    s->todo[s->ntodo++] = 0;
    while (s->ntodo) {
        s16 i = s->todo[--s->ntodo];
        while (i != ROP_END && s->place[i] < 0) {
            if (s->n == BODY_MAX)
                return "it is too large to inline";
            const char *why = read_or_cut(s, i, &i);
            if (why)
                return why;
        }
    }
    find_ways(s);
    const char *why = order(s);
    return why ? why : cut(s);
}

static struct known *make(void *fn)
{
    static struct scan s;
    struct known *k = calloc(1, sizeof *k);
    if (!k)
        die(1, "out of memory for analysis routines");
    s.body = &k->body;
    s.form = form_of(fn);
    s.parts = !options.no_partial && routine_scan(fn)->light;
    k->fn = fn;
    k->body.why = read_body(&s);
    if (k->body.why)
        return k;
    k->body.n = (u16)s.n;
    k->body.op = malloc(s.n * sizeof s.op[0]);
    if (!k->body.op)
        die(1, "out of memory for analysis routines");
    memcpy(k->body.op, s.op, s.n * sizeof s.op[0]);
    return k;
}

const struct body *body_of(void *fn)
{
    struct known **b = &bucket[(u64)fn >> 4 & (BUCKETS - 1)];
    for (struct known *k = *b; k; k = k->next)
        if (k->fn == fn)
            return &k->body;
    struct known *k = make(fn);
    k->next = *b;
    *b = k;
    return &k->body;
}

/* SPDX-License-Identifier: Apache-2.0
 * See routine.h. Owns what was found of each routine. A routine is followed along all its branches and calls within a
 * bound; whatever is not understood makes it not light. Under jit_lock. */
#include "opt/routine.h"

#include "arch/arch.h"
#include "base/options.h"
#include "os/hostsym.h"
#include "os/os.h"
#include "vm/clock.h"

#include <stdlib.h>

#define MAX_OPS 600
#define SEEN_SLOTS 2048
#define BUCKETS 1024
#define SAYINGS 4

struct known {
    struct routine r;
    const char *said[SAYINGS]; /* what routine_log has said of it */
    struct known *next;
};

static struct known *bucket[BUCKETS];

struct scan {
    u64 todo[MAX_OPS];
    u64 seen[SEEN_SLOTS]; /* addresses, hashed */
    u32 ntodo, nseen;
    struct routine *r;
};

static bool fails(struct scan *s, const char *why)
{
    s->r->why = why;
    return false;
}

/* Notes the address; true: it was noted before. */
static bool seen(struct scan *s, u64 at)
{
    u32 h = (u32)(at * 0x9e3779b1u >> 7) % SEEN_SLOTS;
    for (; s->seen[h]; h = (h + 1) % SEEN_SLOTS)
        if (s->seen[h] == at)
            return true;
    s->seen[h] = at;
    s->nseen++;
    return false;
}

static bool add_target(struct scan *s, u64 at)
{
    if (s->ntodo == MAX_OPS)
        return fails(s, "it is too large");
    s->todo[s->ntodo++] = at;
    return true;
}

/* Notes the target of a jump or call, also of one through a table of the dynamic linker. */
static bool note_target(struct scan *s, const struct rop *op)
{
    u64 to;
    if (op->target)
        return add_target(s, op->target);
    if (op->from == ROP_MEMORY && rop_is_absolute(op) && os_constant_at(op->mem.disp, 8, &to))
        return add_target(s, to);
    return fails(s, "it calls or jumps through a pointer");
}

static bool note_op(struct scan *s, const struct rop *op)
{
    if (op->bar)
        return fails(s, op->bar);
    s->r->clobbers |= op->writes;
    s->r->vectors |= (u16)op->vectors;
    return op->kind == ROP_CALL || op->kind == ROP_JUMP || op->target ? note_target(s, op) : true;
}

/* Follows a function that the routine calls. Its form is not kept. */
static bool scan_callee(struct scan *s, u64 at)
{
    struct rop op;
    for (; !seen(s, at); at += op.bytes) {
        if (s->nseen == MAX_OPS)
            return fails(s, "it is too large");
        arch_lift(at, &op);
        if (!note_op(s, &op))
            return false;
        if (op.kind == ROP_JUMP || op.kind == ROP_RETURN)
            return true;
    }
    return true;
}

static bool scan_all(struct scan *s, const struct form *form)
{
    for (u32 i = 0; i < form->n; i++)
        if (seen(s, form->op[i].at) || !note_op(s, &form->op[i]))
            return false;
    if (form->cut)
        return fails(s, "it is too large");
    while (s->ntodo)
        if (!scan_callee(s, s->todo[--s->ntodo]))
            return false;
    return true;
}

static struct known *find(void *fn)
{
    for (struct known *k = bucket[(u64)fn >> 4 & (BUCKETS - 1)]; k; k = k->next)
        if (k->r.fn == fn)
            return k;
    return NULL;
}

static bool is_said(struct known *k, const char *how)
{
    for (u32 i = 0; i < SAYINGS; i++) {
        if (k->said[i] == how)
            return true;
        if (!k->said[i]) {
            k->said[i] = how;
            return false;
        }
    }
    return true;
}

void routine_check_inline(void *fn, const char *why)
{
    static struct hostsym sym;
    if (!options.assert_check_inline && !options.log_inline)
        return;
    if (!hostsym_find((u64)fn, &sym))
        sym = (struct hostsym){0};
    const char *name = *sym.name ? sym.name : "?";
    if (options.assert_check_inline)
        die(1, "analysis routine %s is expected to be inlined, but is not inlineable: for %s", name, why);
    routine_scan(fn);
    if (!is_said(find(fn), "expected"))
        msg("analysis routine %s is expected to be inlined but NOT INLINED: for %s", name, why);
}

void routine_log(void *fn, const char *how, const char *why)
{
    static struct hostsym sym;
    if (!options.log_inline || !how || !fn)
        return;
    routine_scan(fn);
    if (is_said(find(fn), how))
        return;
    if (!hostsym_find((u64)fn, &sym))
        sym = (struct hostsym){.offset = (u64)fn};
    msg("analysis routine %s (%s + 0x%lx): %s%s%s%s", *sym.name ? sym.name : "?",
        *sym.module ? hostsym_base_name(&sym) : "?", sym.offset, how, why ? ", for " : "", why ? why : "",
        !options.pin_log ? "" : why ? " (NOT INLINED)" : " (INLINED)");
}

const struct routine *routine_scan(void *fn)
{
    struct known **b = &bucket[(u64)fn >> 4 & (BUCKETS - 1)], *k = find(fn);
    if (k)
        return &k->r;
    k = calloc(1, sizeof *k);
    if (!k)
        die(1, "out of memory for analysis routines");
    enum clock_place was = clock_at(CLOCK_OPTIMISE);
    static struct scan s;
    const struct form *form = form_of(fn);
    s = (struct scan){.r = &k->r};
    k->r.fn = fn;
    k->r.light = scan_all(&s, form);
    k->r.result = routine_returns_byte(form) ? 1 : arch_narrow_tool ? 4 : 8;
    k->next = *b;
    *b = k;
    clock_back(was);
    return &k->r;
}

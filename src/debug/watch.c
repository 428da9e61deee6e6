/* SPDX-License-Identifier: Apache-2.0
 * Watchpoints (DB13): while there is one, every access of the guest to memory is looked at before its instruction, by
 * an analysis call of the engine's own: a test that is inlined, whether the address is near, and only then the exact
 * comparison. A hit stops the thread when the instruction is complete. The list is changed while all guest threads
 * stand still, and read by them. */
#include "debug/stub.h"

#include "facts.h"
#include "jit/events.h"
#include "jit/jit.h"
#include "linchpin/iarg.h"
#include "opt/objects.h"

#include <stdlib.h>

#define LONGEST_ACCESS 64u  /* of those with one address */
#define ORDER_FIRST (-1)    /* before all calls of a tool */

struct watched {
    u64 start, end;
    u32 kind; /* enum watch_kind */
    struct watched *next;
};

static struct watched *list;
/* An access at an address from low on, less than span bytes on, may touch one of them. */
static u64 low, span;

/* --- on the guest's threads --------------------------------------------------------------------------------------- */

static u64 is_near(u64 at, u64 from, u64 bytes) { return at - from < bytes; }

static bool concerns(const struct watched *w, bool written)
{
    return w->kind == WATCH_ACCESS || (w->kind == WATCH_WRITE) == written;
}

static const struct watched *find(u64 at, u64 bytes, bool read, bool written)
{
    for (const struct watched *w = list; w; w = w->next)
        if (at < w->end && at + bytes > w->start && ((read && concerns(w, false)) || (written && concerns(w, true))))
            return w;
    return NULL;
}

/* The thread leaves for the VM after its instruction, as for a signal (E18). */
static void check(u64 at, u64 bytes, u64 read, u64 written)
{
    struct debug_thread *d = &vm_tc.debug;
    const struct watched *w = find(at, bytes, read, written);
    if (!w || d->watch_waits || vm_tc.jit.debug == JIT_HALT || !debug_connected() || vm_tc.os.vfork_child ||
        vm_tc.os.foreign_mm)
        return;
    d->watch = (u8)w->kind;
    d->watch_at = w->start;
    d->event = EVENT_WATCH;
    d->told = true; /* until it waits */
    vm_tc.jit.debug = JIT_HALT;
    vm_tc.os.pending = true;
}

/* Called by way of this, so that it is never taken apart. */
static void (*volatile check_by)(u64, u64, u64, u64) = check;
static void look(u64 at, u64 bytes, u64 read, u64 written) { check_by(at, bytes, read, written); }

/* --- calls -------------------------------------------------------------------------------------------------------- */

static struct call *make(void *fn, enum call_kind kind, u32 operand, const u64 *constant, u32 n)
{
    struct call *c = objects_alloc(sizeof *c + (n + 1) * sizeof c->arg[0]);
    *c = (struct call){.fn = fn, .name = "a watchpoint", .kind = kind, .order = ORDER_FIRST, .nargs = (u16)(n + 1)};
    c->arg[0] = (struct call_arg){.iarg = IARG_MEMORYOP_EA, .index = operand};
    for (u32 i = 0; i < n; i++)
        c->arg[i + 1] = (struct call_arg){.iarg = IARG_ADDRINT, .value = constant[i]};
    return c;
}

static void instrument(struct ins *ins)
{
    struct mem_operand m;
    for (u32 i = 0; facts_mem_operand(ins, i, &m); i++) {
        if (m.kind == MEM_VSIB || m.kind == MEM_OTHER || !(m.read || m.written))
            continue;
        u64 near[] = {low, span}, access[] = {m.bytes, m.read, m.written};
        call_put(&ins->before, make((void *)is_near, CALL_IF, i, near, 2));
        call_put(&ins->before, make((void *)look, CALL_THEN, i, access, 3));
    }
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static void take_bounds(void)
{
    u64 end = 0;
    low = ~0ul;
    for (const struct watched *w = list; w; w = w->next) {
        low = w->start < low ? w->start : low;
        end = w->end > end ? w->end : end;
    }
    low = low > LONGEST_ACCESS ? low - LONGEST_ACCESS : 0;
    span = end - low;
    jit_events.watch = list ? instrument : NULL;
    jit_instrument_anew();
}

static struct watched **place(u32 kind, u64 at, u64 bytes)
{
    struct watched **p = &list;
    while (*p && ((*p)->kind != kind || (*p)->start != at || (*p)->end != at + bytes))
        p = &(*p)->next;
    return p;
}

bool watch_insert(u32 kind, u64 at, u64 bytes, bool on)
{
    struct watched **p = place(kind, at, bytes), *w = *p;
    if (on == (w != NULL))
        return true;
    if (!on) {
        *p = w->next;
        free(w);
    } else {
        if (!bytes || at + bytes < at || !(w = malloc(sizeof *w)))
            return false;
        *w = (struct watched){at, at + bytes, kind, list};
        list = w;
    }
    take_bounds();
    return true;
}

void watch_clear(void)
{
    if (!list)
        return;
    while (list) {
        struct watched *w = list;
        list = w->next;
        free(w);
    }
    take_bounds();
}

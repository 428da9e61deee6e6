/* SPDX-License-Identifier: Apache-2.0
 * Watchpoints (DB13): while there is one, every access of the guest to memory is looked at before its instruction, by
 * an analysis call of the engine's own: a test that is inlined, whether the address is near, and only then the exact
 * comparison. Accesses of more than one address, or whose extent depends on more than the instruction, are worked out
 * from the registers. A hit stops the thread when the instruction is complete. What the kernel writes is seen by what
 * is there afterwards: each watchpoint keeps the bytes that the debugger knows of. The list is changed while all guest
 * threads stand still, and read by them; the bytes are written under the lock. */
#include "debug/stub.h"

#include "facts.h"
#include "jit/events.h"
#include "jit/jit.h"
#include "linchpin/iarg.h"
#include "opt/objects.h"
#include "os/debugport.h"
#include "os/hostlock.h"
#include "os/hostmem.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_ACCESS 64u  /* of those that is_near looks at */
#define ORDER_FIRST (-1)    /* before all calls of a tool */
#define MOST_BYTES (1ul << 30) /* that are kept of one */

struct watched {
    u64 start, end;
    u32 kind;    /* enum watch_kind */
    u32 writer;  /* the thread that is about to write there, and will tell of it; 0: none */
    struct watched *next;
    u8 known[];  /* WATCH_WRITE, WATCH_ACCESS: what is there */
};

static struct watched *list;
static struct hostlock lock = HOSTLOCK(LOCK_WATCHES);
/* An access at an address from low on, less than span bytes on, may touch one of them. */
static u64 low, span;

/* --- on the guest's threads --------------------------------------------------------------------------------------- */

static u64 is_near(u64 at, u64 from, u64 bytes) { return at - from < bytes; }

static bool concerns(const struct watched *w, bool written)
{
    return w->kind == WATCH_ACCESS || (w->kind == WATCH_WRITE) == written;
}

static bool overlaps(const struct watched *w, u64 at, u64 bytes) { return at < w->end && at + bytes > w->start; }

/* The first one that an access concerns; the calling thread will write to all that it writes. */
static const struct watched *find(u64 at, u64 bytes, bool read, bool written)
{
    const struct watched *first = NULL;
    for (struct watched *w = list; w; w = w->next) {
        if (!overlaps(w, at, bytes))
            continue;
        if (written)
            __atomic_store_n(&w->writer, (u32)vm_tc.os.tid, __ATOMIC_RELAXED);
        if (!first && ((read && concerns(w, false)) || (written && concerns(w, true))))
            first = w;
    }
    return first;
}

static bool is_told(void) { return debug_connected() && !vm_tc.os.vfork_child && !vm_tc.os.foreign_mm; }

static void note(const struct watched *w)
{
    struct debug_thread *d = &vm_tc.debug;
    d->watch = (u8)w->kind;
    d->watch_at = w->start;
}

/* The thread leaves for the VM after its instruction, as for a signal (E18). w: NULL, what has changed is to be found
 * out then. */
static void leave_after(const struct watched *w)
{
    struct debug_thread *d = &vm_tc.debug;
    d->watch_compares = !w;
    d->watch_steps = vm_tc.jit.debug == JIT_STEP;
    if (w)
        note(w);
    control_halt(EVENT_WATCH);
    vm_tc.os.pending = true;
}

static bool is_leaving(void) { return vm_tc.debug.watch_waits || vm_tc.jit.debug == JIT_HALT; }

static void check(u64 at, u64 bytes, u64 read, u64 written)
{
    if (!is_told())
        return;
    const struct watched *w = find(at, bytes, read, written);
    if (w && !is_leaving())
        leave_after(w);
}

static void check_elements(const struct ins_facts *f, const struct fact_operand *o)
{
    struct element e[ELEMENTS_MAX];
    u32 n = elements_list(f, o, e);
    for (u32 i = 0; i < n; i++)
        if (e[i].on)
            check(e[i].address, e[i].bytes, o->read, o->written);
}

/* All accesses of an instruction whose addresses, or their extent, are known only now. */
static void look_all(const struct ins_facts *f)
{
    for (u32 i = 0; i < f->nmem; i++) {
        const struct fact_operand *o = &f->op[f->mem[i]];
        struct mem_operand m;
        facts_memory(f, i, &m);
        if (!m.read && !m.written)
            continue;
        if (m.kind == MEM_OTHER && is_told() && !is_leaving())
            leave_after(NULL);
        else if (f->flags & FACT_FLAG_XSAVE)
            check(elements_address(f, o), elements_xsave_bytes(f, false), o->read, o->written);
        else if (m.kind == MEM_VSIB || facts_masked(f))
            check_elements(f, o);
        else if (m.kind != MEM_OTHER)
            check(elements_address(f, o), m.bytes, m.read, m.written);
    }
}

/* --- bytes that have changed -------------------------------------------------------------------------------------- */

/* Does what is there differ from what is known? Then it is known. Memory that is gone is as it was. */
static bool differs(struct watched *w)
{
    u8 now[256];
    bool any = false;
    for (u64 at = w->start; at < w->end; at += sizeof now) {
        size_t n = w->end - at < sizeof now ? w->end - at : sizeof now;
        u8 *known = w->known + (at - w->start);
        if (debugport_read_memory(at, now, n) == n && memcmp(now, known, n)) {
            memcpy(known, now, n);
            any = true;
        }
    }
    return any;
}

/* The first one that has changed, unless a thread that has changed it will tell. */
static const struct watched *changed(void)
{
    const struct watched *first = NULL;
    hostlock_take(&lock);
    for (struct watched *w = list; w; w = w->next) {
        u32 writer = __atomic_load_n(&w->writer, __ATOMIC_RELAXED);
        if (w->kind != WATCH_READ && (!writer || writer == (u32)vm_tc.os.tid) && differs(w) && !first)
            first = w;
    }
    hostlock_give(&lock);
    return first;
}

bool watch_stops(void)
{
    const struct watched *w = NULL;
    bool compares = vm_tc.debug.watch_compares;
    vm_tc.debug.watch_compares = false;
    if (compares && (w = changed()))
        note(w);
    hostlock_take(&lock);
    for (struct watched *i = list; i; i = i->next)
        if (__atomic_load_n(&i->writer, __ATOMIC_RELAXED) == (u32)vm_tc.os.tid) {
            differs(i);
            __atomic_store_n(&i->writer, 0, __ATOMIC_RELAXED);
        }
    hostlock_give(&lock);
    return !compares || w;
}

/* The kernel, or the engine in its place, has perhaps written memory for the calling thread. */
static void kernel_wrote(void)
{
    const struct watched *w;
    if (!is_told() || is_leaving() || !(w = changed()))
        return;
    note(w);
    control_halt(EVENT_WATCH);
}

void watch_debugger_wrote(u64 at, u64 bytes)
{
    for (struct watched *w = list; w; w = w->next)
        if (w->kind != WATCH_READ && overlaps(w, at, bytes))
            differs(w);
}

/* Called by way of this, so that it is never taken apart. */
static void (*volatile check_by)(u64, u64, u64, u64) = check;
static void look(u64 at, u64 bytes, u64 read, u64 written) { check_by(at, bytes, read, written); }
static void (*volatile look_all_by)(const struct ins_facts *) = look_all;
static void look_all_there(const struct ins_facts *f) { look_all_by(f); }

/* --- calls -------------------------------------------------------------------------------------------------------- */

static struct call *make(void *fn, enum call_kind kind, u32 operand, const u64 *constant, u32 n)
{
    struct call *c = objects_alloc(sizeof *c + (n + 1) * sizeof c->arg[0]);
    *c = (struct call){.fn = fn, .name = "a watchpoint", .kind = kind, .predicated = true, .order = ORDER_FIRST,
        .nargs = (u16)(n + 1)};
    c->arg[0] = (struct call_arg){.iarg = IARG_MEMORYOP_EA, .index = operand};
    for (u32 i = 0; i < n; i++)
        c->arg[i + 1] = (struct call_arg){.iarg = IARG_ADDRINT, .value = constant[i]};
    return c;
}

/* Does it take more than an address and a number of bytes to know what is accessed? */
static bool is_special(const struct ins_facts *f)
{
    struct mem_operand m;
    if (f->flags & FACT_FLAG_PREFETCH)
        return false;
    for (u32 i = 0; facts_memory(f, i, &m); i++)
        if (m.kind == MEM_VSIB || m.kind == MEM_OTHER || m.bytes > LONGEST_ACCESS)
            return true;
    return f->nmem && (f->flags & FACT_FLAG_XSAVE || facts_masked(f));
}

/* Copies for the calls, kept for good: few instructions are special. Under jit_lock. */
static const struct ins_facts *keep(const struct ins_facts *f)
{
    static struct kept {
        struct kept *next;
        struct ins_facts f;
    } *kept[1024];
    struct kept **bucket = &kept[f->pc % ARRAY_LEN(kept)], *k = *bucket;
    while (k && (k->f.pc != f->pc || k->f.len != f->len || memcmp(k->f.bytes, f->bytes, f->len)))
        k = k->next;
    if (!k) {
        if (!(k = malloc(sizeof *k)))
            hostmem_die("an instruction at a watchpoint");
        *k = (struct kept){*bucket, *f};
        *bucket = k;
    }
    return &k->f;
}

static void put_look_all(struct ins *ins)
{
    struct call *c = objects_alloc(sizeof *c + 2 * sizeof c->arg[0]);
    *c = (struct call){.fn = (void *)look_all_there, .name = "a watchpoint", .predicated = true, .order = ORDER_FIRST,
        .nargs = 2};
    c->arg[0] = (struct call_arg){.iarg = IARG_PTR, .value = (u64)keep(facts_of(ins))};
    c->arg[1] = (struct call_arg){.iarg = IARG_CONST_CONTEXT};
    call_put(&ins->before, c);
}

static void instrument(struct ins *ins)
{
    struct mem_operand m;
    if (is_special(facts_of(ins))) {
        put_look_all(ins);
        return;
    }
    for (u32 i = 0; facts_mem_operand(ins, i, &m); i++) {
        if (!(m.read || m.written))
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
    os_events.kernel_wrote = list ? kernel_wrote : NULL;
    if (list)
        os_watch_all_syscalls();
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
        u64 kept = kind == WATCH_READ ? 0 : bytes;
        if (!bytes || at + bytes < at || kept > MOST_BYTES || !(w = calloc(1, sizeof *w + kept)))
            return false;
        w->start = at;
        w->end = at + bytes;
        w->kind = kind;
        w->next = list;
        if (kept)
            differs(w);
        list = w;
    }
    take_bounds();
    return true;
}

void watch_forget(void) { hostlock_reset(&lock); }

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

/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. The debugger's breakpoints: hooks in the translation (DB2), never a byte that the guest could see, unless
 * the tool takes them (DB12). Owns the list of them, for the debugger's end. On the debugger's thread; the list is
 * read by the tool's threads, too, under its lock. */
#include "debug/stub.h"

#include "jit/jit.h"
#include "os/hostlock.h"

#include <stdlib.h>

struct point {
    u64 at, bytes;
    u32 kinds;   /* one bit for each of enum kind */
    bool taken;  /* by the tool */
    struct point *next;
};

static struct point *points;
static struct hostlock lock = HOSTLOCK(LOCK_DEBUG);

enum kind { KIND_SOFTWARE, KIND_HARDWARE };

/* The pointer to it, or to the list's end. */
static struct point **find(u64 at)
{
    struct point **p = &points;
    while (*p && (*p)->at != at)
        p = &(*p)->next;
    return p;
}

static bool asks_tool(u64 at, u64 bytes, bool insert)
{
    return debug_hooks.takes_break && debug_hooks.takes_break(at, bytes, insert);
}

static void add(struct point *p)
{
    hostlock_take(&lock);
    p->next = points;
    points = p;
    hostlock_give(&lock);
}

static bool insert(u32 kind, u64 at, u64 bytes)
{
    struct point *p = *find(at);
    if (!p && (p = calloc(1, sizeof *p))) {
        *p = (struct point){.at = at, .bytes = bytes, .taken = asks_tool(at, bytes, true)};
        add(p);
        if (!p->taken)
            hook_add(at, HOOK_BREAK);
    }
    if (p)
        p->kinds |= 1u << kind;
    return p;
}

static void take_out(u32 kind, u64 at)
{
    struct point **p = find(at), *gone = *p;
    if (!gone || (gone->kinds &= ~(1u << kind)))
        return;
    hostlock_take(&lock);
    *p = gone->next;
    hostlock_give(&lock);
    if (gone->taken)
        asks_tool(at, gone->bytes, false);
    else
        hook_drop(at, HOOK_BREAK);
    free(gone);
}

void debug_reset_break(u64 at)
{
    hostlock_take(&lock);
    struct point *p = *find(at);
    bool was = p && p->taken;
    u64 bytes = p ? p->bytes : 0;
    hostlock_give(&lock);
    if (!was || asks_tool(at, bytes, true))
        return;
    hostlock_take(&lock);
    p = *find(at);
    if (p)
        p->taken = false;
    hostlock_give(&lock);
    if (p)
        hook_add(at, HOOK_BREAK);
}

bool breaks_known(u32 kind) { return kind <= WATCH_ACCESS; }
bool breaks_hardware(u64 at) { return *find(at) && (*find(at))->kinds == 1u << KIND_HARDWARE; }

bool breaks_insert(u32 kind, u64 at, u64 bytes, bool on)
{
    if (kind > KIND_HARDWARE)
        return watch_insert(kind, at, bytes, on);
    if (on)
        return insert(kind, at, bytes);
    take_out(kind, at);
    return true;
}

void breaks_clear(void)
{
    watch_clear();
    while (points) {
        u64 at = points->at;
        take_out(KIND_SOFTWARE, at);
        take_out(KIND_HARDWARE, at);
    }
}

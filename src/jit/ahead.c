/* SPDX-License-Identifier: Apache-2.0
 * See ahead.h. Owns no state but how much is left to be made at this time. */
#include "jit/ahead.h"

#include "arch/arch.h"
#include "base/options.h"
#include "jit/forks.h"
#include "jit/jit_internal.h"

#define MOST 8u /* traces at a time */

static u32 left FORK_WRITES;

static bool used(void) { return !options.tool && !options.no_ahead && !options.no_link; }

/* A call ends its trace, and is its last exit. */
static bool is_call(const struct exit *x, const struct trace *from)
{
    return from->flags & TRACE_CALLS && x == exit_get(from->first_exit + from->nexits - 1u);
}

void ahead_link(struct trace *t)
{
    if (!used())
        return;
    for (u32 i = 0; i < t->nexits; i++) {
        struct exit *x = exit_get(t->first_exit + i);
        if (x->kind != EXIT_KIND_BRANCH || is_call(x, t)) /* a call comes to the VM first (make_return) */
            continue;
        struct trace *to = dir_find(version_key(x->target, x->version));
        if (!to || !arch_branch_reaches(exit_patch(x), to->body)) /* a far link takes room, perhaps for nothing */
            continue;
        link_exit(x, to);
        jit_stats.links += x->to == to->number + 1;
    }
}

/* NULL: nothing can be executed there, or the cache was flushed for it, and no trace that the caller knows may be
 * used any more. */
static struct trace *make(gpc_t pc, bool indirect)
{
    u64 epoch = jit_epoch(), fetch_fault;
    struct trace *t = jit_trace(pc, 0, indirect, &fetch_fault);
    left = t && jit_epoch() == epoch ? left - 1 : 0;
    return left ? t : NULL;
}

static void follow(struct trace *t);

/* The trace that the call returns to, if x is a call's exit. */
static void make_return(const struct exit *x)
{
    const struct trace *from = exit_from(x);
    gpc_t ret = from->pc + from->guest_bytes;
    /* In another page nobody has looked yet whether its code may change. */
    if (!is_call(x, from) || from->flags & TRACE_CHECKED || !(ret & (PAGE_BYTES - 1)) || dir_find(ret))
        return;
    struct trace *t = make(ret, true);
    if (!t)
        return;
    jit_make_indirect(t);
    if (UNLIKELY(forks_noting))
        forks_note(NULL, t, true);
    follow(t);
}

/* What is executed after a new trace in any case, because it has only one exit. */
static void follow(struct trace *t)
{
    while (left && t->nexits == 1 && !(t->flags & (TRACE_CHECKED | TRACE_RETURNS))) {
        struct exit *x = exit_get(t->first_exit);
        if (x->kind != EXIT_KIND_BRANCH || x->to || x->version)
            return;
        struct trace *to = dir_find(x->target);
        bool made = !to;
        if (made && !(to = make(x->target, false)))
            return;
        link_exit(x, to);
        jit_stats.links += x->to == to->number + 1;
        if (UNLIKELY(forks_noting))
            forks_note(x, to, false);
        make_return(x);
        if (!made)
            return;
        t = to;
    }
}

void ahead_make(const struct exit *x, struct trace *t, bool made)
{
    if (!used() || (!made && !x))
        return;
    left = MOST;
    if (made)
        follow(t);
    if (x && left)
        make_return(x);
}

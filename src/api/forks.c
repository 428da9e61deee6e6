/* SPDX-License-Identifier: Apache-2.0
 * Forks: the tool's functions before, and after in parent and child, on the thread that forks. The client lock is held
 * across the fork, so that the child finds what the tool guards by it whole. A child that shares its parent's memory
 * (vfork, posix_spawn) is none of these: its functions would work on the parent's data. Rule A11. */
#include "api/callbacks.h"
#include "api/callback_list.h"
#include "opt/objects.h"
#include "api/results.h"
#include "api/tool.h"
#include "linchpin/enums.h"
#include "os/events.h"
#include "os/thread.h"

typedef void fork_fn(THREADID, const CONTEXT *, void *);

static struct tool_callback *lists[3]; /* by enum os_fork_point */

static void call_all(enum os_fork_point point)
{
    struct bridge_state state;
    if (!lists[point])
        return;
    callbacks_context(&state, &vm_tc.cpu);
    CALLBACKS_EACH(c, lists[point])
        ((fork_fn *)c->fn)(vm_tc.id, (CONTEXT *)&state, c->arg);
}

static void on_fork(enum os_fork_point point)
{
    if (point == OS_FORK_BEFORE)
        client_lock();
    call_all(point);
    if (point != OS_FORK_BEFORE)
        client_unlock();
    if (point == OS_FORK_CHILD)
        results_init();
}

void forks_init(void) { os_events.fork = on_fork; }

void *PIN_AddForkFunction(FPOINT point, fork_fn *fun, void *arg)
{
    static const int by_point[] = {[FPOINT_BEFORE] = OS_FORK_BEFORE, [FPOINT_AFTER_IN_PARENT] = OS_FORK_PARENT,
        [FPOINT_AFTER_IN_CHILD] = OS_FORK_CHILD};
    if (point < FPOINT_BEFORE || point > FPOINT_AFTER_IN_CHILD)
        api_misuse(__func__, NULL, 0, "%d is not an FPOINT", (int)point);
    return tool_callback_add(&lists[by_point[point]], (void *)fun, arg);
}

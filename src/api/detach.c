/* SPDX-License-Identifier: Apache-2.0
 * Taking the tool out of a process that goes on: PIN_Detach, and what the tool is told then, on the engine's agent
 * while all guest threads stand still. After PIN_Detach its detach functions are called and no others, as with Pin. A
 * detach by command has no equal there: the tool hears the end of the threads and of the process, so that one that
 * writes its results in a fini function has written them; its detach functions come between the two. A tool that can
 * come back stays in the process (reattach.c). */
#include "api/usage.h"
#include "api/callbacks.h"
#include "api/callback_list.h"
#include "api/reattach.h"
#include "api/results.h"
#include "api/tool.h"
#include "jit/jit_internal.h"
#include "os/events.h"
#include "os/native.h"
#include "os/os.h"

#include <stdio.h>

typedef void detach_fn(void *);

static struct tool_callback *detach;
static bool asked; /* by the tool */

void *PIN_AddDetachFunction(void *fn, void *arg)
{
    return tool_callback_add(&detach, fn, arg);
}

/* A list that was emptied meanwhile is walked to its end. */
static void tell(const struct tool_callback *c)
{
    for (; c; c = c->next)
        ((detach_fn *)c->fn)(c->arg);
}

/* The program's end has come before the agent: after PIN_Detach the tool hears nothing but that it has left. */
bool detach_instead_of_end(void)
{
    if (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE))
        return false;
    client_lock();
    tell(detach);
    client_unlock();
    return true;
}

static void tool_leaves(void)
{
    bool end = !__atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    if (end)
        callbacks_prepare_fini();
    tool_threads_leave(end);
    client_lock();
    tell(detach);
    client_unlock();
    if (end) {
        results_give((struct lp_results_info){.why = LP_RESULTS_DETACH});
        callbacks_fini(0);
    }
    tool_destroy();
}

/* With a detach function, the tool of a program that was launched can be taken out by command: the agent has to be
 * there for that. */
void detach_init(void)
{
    os_events.tool_leaves = tool_leaves;
    if (detach)
        agent_start();
}

static void tell_left(void *list) { tell(list); }

void PIN_Detach(void)
{
    usage_not_narrow(__func__);
    if (os_native)
        api_misuse(__func__, NULL, 0, "it is for JIT mode (PIN_StartProgram); PIN_DetachProbed is for probe mode");
    if (reattach_leave(&detach, tell_left))
        return;
    __atomic_store_n(&asked, true, __ATOMIC_RELEASE);
    jit_tool_leaves(); /* A61 */
    agent_call_launcher();
}

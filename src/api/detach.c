/* SPDX-License-Identifier: Apache-2.0
 * Taking the tool out of a process that goes on: PIN_Detach, and what the tool is told then, on the engine's agent
 * while all guest threads stand still. The tool hears the end of the threads and of the process, so that one that
 * writes its results in a fini function has written them; its detach functions come between the two. */
#include "api/callbacks.h"
#include "api/callback_list.h"
#include "api/tool.h"
#include "linchpin/enums.h"
#include "os/events.h"
#include "os/os.h"

#include <stdio.h>

typedef void detach_fn(void *);

static struct tool_callback *detach;

void *PIN_AddDetachFunction(void *fn, void *arg)
{
    return tool_callback_add(&detach, fn, arg);
}

static void tool_leaves(void)
{
    callbacks_prepare_fini();
    tool_threads_leave();
    client_lock();
    CALLBACKS_EACH(c, detach)
        ((detach_fn *)c->fn)(c->arg);
    client_unlock();
    callbacks_fini(0);
    fflush(NULL);
}

/* With a detach function, the tool of a program that was launched can be taken out by command: the agent has to be
 * there for that. */
void detach_init(void)
{
    os_events.tool_leaves = tool_leaves;
    if (detach)
        agent_start();
}

void PIN_Detach(void) { agent_call_launcher(); }

/* PIN_Attach always fails: after a detach nothing of the tool is left in the process that could call it, and before a
 * detach there is nothing to attach to. */
ATTACH_STATUS PIN_Attach(void *fn, void *arg)
{
    (void)fn, (void)arg;
    return ATTACH_FAILED_DETACH;
}

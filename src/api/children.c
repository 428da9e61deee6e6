/* SPDX-License-Identifier: Apache-2.0
 * Programs that the application executes, with -follow_execv: the tool says which are followed, and with which command
 * line. A CHILD_PROCESS lives as long as the callback that gets it; the call is on the thread that executes, in the
 * process that will be the new program, under the client lock. Rule A18. */
#include "api/callbacks.h"
#include "api/callback_list.h"
#include "opt/objects.h"
#include "linchpin/types.h"
#include "os/events.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HANDLE 1

typedef BOOL follow_fn(CHILD_PROCESS, void *);

static struct tool_callback *list;
static struct os_child *current; /* under the client lock */

/* The program is followed if every function of the tool wants it so. */
static bool on_child(struct os_child *child)
{
    bool follow = true;
    client_lock();
    current = child;
    CALLBACKS_EACH(c, list)
        follow &= ((follow_fn *)c->fn)((CHILD_PROCESS){HANDLE}, c->arg);
    current = NULL;
    client_unlock();
    return follow;
}

PIN_CALLBACK PIN_AddFollowChildProcessFunction(follow_fn *fun, VOID *v)
{
    os_events.follow_child = on_child;
    return (PIN_CALLBACK)tool_callback_add(&list, (void *)fun, v);
}

static struct os_child *child_of(const char *call, CHILD_PROCESS child)
{
    if (!current || child.index != HANDLE)
        api_misuse(call, NULL, 0, "the child process is only valid in the callback that gets it");
    return current;
}

OS_PROCESS_ID CHILD_PROCESS_GetId(CHILD_PROCESS child)
{
    child_of(__func__, child);
    return (OS_PROCESS_ID)getpid();
}

VOID CHILD_PROCESS_GetCommandLine(CHILD_PROCESS child, INT *argc, const CHAR *const **argv)
{
    const struct os_child *c = child_of(__func__, child);
    *argc = c->argc;
    *argv = c->argv;
}

/* argv[0], the engine's name, is not taken from the tool; the "--" at the end may be missing. */
VOID CHILD_PROCESS_SetPinCommandLine(CHILD_PROCESS child, INT argc, const CHAR *const *argv)
{
    struct os_child *c = child_of(__func__, child);
    size_t bytes = 0, at = 0;
    int last = argc > 1 && !strcmp(argv[argc - 1], "--") ? argc - 1 : argc;
    for (int i = 1; i < last; i++)
        bytes += strlen(argv[i]) + 1;
    char *text = malloc(bytes + 1);
    if (!text)
        die(1, "no memory for a command line");
    for (int i = 1; i < last; i++) {
        size_t n = strlen(argv[i]) + 1;
        memcpy(text + at, argv[i], n);
        at += n;
    }
    free(c->command);
    c->command = text;
    c->command_words = last > 1 ? (u32)last - 1 : 0;
}

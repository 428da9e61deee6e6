/* SPDX-License-Identifier: Apache-2.0
 * The tool's callbacks that have to do with the process and its threads. A list is in the order of CALL_ORDER, then of
 * registration (image.h). */
#ifndef LP_API_CALLBACKS_H
#define LP_API_CALLBACKS_H
#include "vm/client.h"
#include "context.h"
#include "image/image.h"

/* A context for a callback: a copy of the state that the VM has. context_give brings it back. */
static inline void callbacks_context(struct bridge_state *to, const struct cpu_state *from)
{
    to->kind = CONTEXT_COPY;
    context_take(to, from);
}

/* Calls fn of every callback c of a list, under the client lock. */
#define CALLBACKS_EACH(c, list) \
    for (struct tool_callback *c = __atomic_load_n(&(list), __ATOMIC_ACQUIRE); c; c = c->next)

/* The process: before the guest's first instruction; when it is about to end; at its end. */
/* The program is about to run: from now on signals that would end it come to the engine, if the tool has functions for
 * the end. */
void callbacks_watch(void);
bool callbacks_want_end(void); /* has it any? */
void callbacks_add_end(void); /* a function for the end has come */
bool callbacks_of_jit(void); /* has the tool functions for threads that probe mode does not call? */
void callbacks_start(void);
void callbacks_prepare_fini(void);
void callbacks_fini(int status);
/* "an application-fini" or "a thread-fini" when the calling thread is in such a function of the tool's, NULL: it is in
 * none. */
const char *callbacks_ending(void);

#endif

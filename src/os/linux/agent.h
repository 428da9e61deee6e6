/* SPDX-License-Identifier: Apache-2.0
 * The agent: a thread of the engine's own through which the launcher takes the engine out of the process again (docs/design/attach.md). */
#ifndef LP_LINUX_AGENT_H
#define LP_LINUX_AGENT_H
#include "base/base.h"

/* Makes the agent, if there is none yet. False: no memory. */
bool agent_start(void);
/* The calling thread, which runs no guest code, is the agent from now on. */
void agent_be(void) NORETURN;
/* Attach: the launcher starts the program's threads now, and goes. */
void agent_adopts(void);
/* Detach, soon: the agent calls the launcher. */
void agent_call_launcher(void);
/* Called by the agent while all guest threads stand still, before anything is given back. */
extern void (*agent_tool_leaves)(void);
/* In the child of a fork: it has no agent. */
void agent_after_fork(void);

/* --- on a guest thread --- */
/* While threads rest for a detach: the dispatcher has the guest's whole state. Comes back only when a signal has to be delivered first. */
void agent_rest(void);

/* --- on any other thread, in the engine's handler --- */
void agent_rest_for_good(void) NORETURN;

#endif

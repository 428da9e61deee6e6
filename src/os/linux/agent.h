/* SPDX-License-Identifier: Apache-2.0
 * The agent: a thread of the engine's own through which the launcher takes the engine out of the process again
 * (docs/design/attach.md). */
#ifndef LP_LINUX_AGENT_H
#define LP_LINUX_AGENT_H
#include "os/os.h"

/* The calling thread, which runs no guest code, is the agent from now on. */
void agent_be(void) NORETURN;
/* At an attach, when tool and engine are ready: lets the launcher start the program's threads; the launcher then
 * leaves. */
void agent_adopts(void);
/* In the child of a fork: it has no agent. */
void agent_after_fork(void);
/* The engine leaves the process: every page gets the protection that the guest believes in. */
void agent_give_protections(void);

/* --- on any other thread, in the engine's handler --- */
void agent_halt_for_good(void) NORETURN;

#endif

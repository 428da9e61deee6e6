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
struct thread;
struct boot_timeout;
struct boot_patches;
/* Probe mode: the launcher makes the changes while all threads stand still. False: it could not. */
bool agent_patch(const struct boot_patches *list);
/* At a detach: a thread that was adopted inside a wait and has not come back to it yet gives what is left of it. */
void adopt_give_timeout(struct thread *t, struct boot_timeout *left);
/* The agent of a launched program ends, so that the kernel finds no thread but the guest's; agent_start makes another.
 * False: there is none. */
bool agent_rest(void);
/* In the child of a fork: it has no agent. */
void agent_after_fork(void);
/* The engine leaves the process: every page gets the protection that the guest believes in. */
void agent_give_protections(void);

/* In the engine's handler: if the calling thread is the agent and in a function of the tool's, it does not return to
 * it. */
void agent_abandon_tool(void);

/* --- on any other thread, in the engine's handler --- */
void agent_halt_for_good(void) NORETURN;

/* Probe mode without an agent: a guest thread that the launcher has sent to the errand deals with its request. */
void agent_by_errand(u64 errand);
void agent_errand(const char *why_not);

#endif

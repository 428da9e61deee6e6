/* SPDX-License-Identifier: Apache-2.0
 * The run of a guest thread. */
#ifndef LP_VM_H
#define LP_VM_H
#include "base/base.h"

/* Runs guest code from vm_tc.cpu.pc on the calling host thread. Returns when the guest thread has ended by the exit
 * system call (vm_thread_end). */
void vm_run(void);
/* Everything is ready: the calling thread runs the guest from its first instruction; or, in a process that was
 * attached to, its threads go on and the calling thread becomes the agent (os/linux/agent.h). */
void vm_start(void) NORETURN;
/* From a system call handler: leave vm_run. Does not return. */
void vm_thread_end(void) NORETURN;
/* Fills the part of os_events that is about guest threads. */
void vm_init(void);
/* From host code on this thread's stack, at any depth: abandon it and go on dispatching at vm_tc.cpu. */
void vm_redispatch(void) NORETURN;
/* Before vm_redispatch from an analysis routine: if the engine was stepping the guest's instruction to deliver a
 * signal after it, the signal is delivered at vm_tc.cpu instead. */
void vm_abandon_step(void);

#endif

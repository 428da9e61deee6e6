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
/* To be called by a system call handler: leaves vm_run. */
void vm_thread_end(void) NORETURN;
/* Fills the part of os_events that is about guest threads. */
void vm_init(void);
/* To be called from host code on this thread's stack, at any depth: abandons the stack and dispatches from vm_tc.cpu
 * on. */
void vm_redispatch(void) NORETURN;
/* Before vm_redispatch from an analysis routine: if the engine was stepping the guest's instruction to deliver a
 * signal after it, the signal is delivered at vm_tc.cpu instead. */
void vm_abandon_step(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * The dispatcher: runs the thread's guest from vm_tc.cpu until the thread ends. */
#ifndef LP_VM_H
#define LP_VM_H
#include "base/base.h"

/* Runs guest code from vm_tc.cpu.pc on the calling host thread. Returns when the guest thread has ended by the exit system call
 * (vm_thread_end). */
void vm_run(void);
/* Everything is ready: the calling thread runs the guest from its first instruction; or, in a process that was attached to, its threads go on and the calling one serves (os/linux/agent.h). */
void vm_start(void) NORETURN;
/* From a system call handler: leave vm_run. Does not return. */
void vm_thread_end(void) NORETURN;
/* Assembly: a signal handler that has put the guest's whole state into vm_tc.cpu returns here on vm_tc.cpu.host_sp; the dispatcher goes on. */
void vm_resume(void);
/* Assembly: into the cache at vm_tc.cpu.enter; returns when the guest leaves it, with vm_tc.cpu.exit_id set. */
void vm_enter(void);
/* Assembly: where cache code leaves, all guest registers live. */
void vm_exit(void);
/* Assembly: continuation for a thread that was in the gate when its code was flushed (E10). */
void vm_gate_flushed(void);
/* Fills the part of os_events that is about guest threads. */
void vm_init(void);
/* The dispatcher's loop: from vm_tc.cpu on, until somebody jumps out of it. */
void vm_dispatch(void) NORETURN;
/* From host code on this thread's stack, at any depth: abandon it and go on dispatching at vm_tc.cpu. */
void vm_redispatch(void) NORETURN;
/* Before vm_redispatch from an analysis routine: if the engine was stepping the guest's instruction to deliver a signal behind it, it is delivered at vm_tc.cpu instead. */
void vm_abandon_step(void);

#endif

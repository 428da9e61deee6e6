/* SPDX-License-Identifier: Apache-2.0
 * Stopping guest threads: for good when the process ends, so that no thread runs while the tool's functions for the end
 * do; and until they may go on for a detach. (pause.h is for the tool, which stops and resumes threads.) */
#ifndef LP_VM_STOP_H
#define LP_VM_STOP_H
#include "base/base.h"

struct thread;

extern bool vm_stop_requested;
/* For a detach: stops all guest threads in the dispatcher, or lets them go on. It is os_events.stop_all. */
void vm_stop_all(bool on);
/* No other guest thread of this process goes on in the cache; returns true when they are out of it, false after
 * limit_ms: a tool's routine may wait for something that will not come. The caller holds the client lock, so that no
 * callback runs either. */
bool vm_stop_others(u32 limit_ms);
bool vm_is_stopped(const struct thread *t);
/* The calling thread is about to end the process, perhaps out of an instrumentation function: then it gives jit_lock
 * back, and nobody goes on with the translation that it leaves half done. */
void vm_leave_translation(void);
/* Where a thread that wants to enter the cache after vm_stop_others waits for the end of the process. */
void vm_park(void) NORETURN;

#endif

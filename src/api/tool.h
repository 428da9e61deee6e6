/* SPDX-License-Identifier: Apache-2.0
 * Loading and running the tool. */
#ifndef LP_API_TOOL_H
#define LP_API_TOOL_H
#include "base/base.h"

/* Opens the tool and calls its main (A1), which ends in PIN_StartProgram. Returns only when main came back without it:
 * the tool's status. */
int tool_run(void);
/* Callbacks of threads; called by vm_run at the start and end of a guest thread. */
void tool_thread_start(void);
void tool_thread_end(int code);
/* The process ends: the other guest threads are stopped, and their end is told. */
void tool_other_threads_end(int code);
/* A detach: all guest threads stand still and will go on without the tool. Calls the tool's functions for that, on the
 * agent. */
void tool_threads_leave(void);
/* From PIN_StartProgram on, the tool can be taken out of the process. */
void detach_init(void);
/* Callbacks of system calls run without the client lock. */
void syscalls_allow_concurrent(void);
/* From PIN_StartProgram on, the OS layer tells of forks. */
void forks_init(void);
/* The guest is about to start: calls the functions that wait for the code cache. */
void codecache_start(void);
/* A thread starts: it has no data of the tool's yet. */
void tool_thread_data_begin(void);
/* In the child of a fork: threads of the tool are gone. */
void internal_threads_after_fork(void);
/* After the thread's fini functions: destructors of its tool TLS. */
void tool_thread_data_end(u32 id);
bool tool_thread_data_used(void);
void *PIN_GetThreadData(int key, u32 thread); /* thread ~0: the calling one */

#endif

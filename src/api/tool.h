/* SPDX-License-Identifier: Apache-2.0
 * Loading and running the tool. */
#ifndef LP_API_TOOL_H
#define LP_API_TOOL_H
#include "base/base.h"

/* Opens the tool and calls its main (A1), which ends in PIN_StartProgram. Returns only when main came back without it:
 * the tool's status. */
int tool_run(void);
/* The tool starts the program by that function; it may do so once. */
void tool_begin_program(const char *call);
/* Probe mode, before the tool is asked for results: streams that the program has closed, or that lead to files of its
 * own, lead to what they led to at the start again, or nowhere. */
void tool_mend_streams(void);
void tool_stderr_to_program(void); /* at an attach: no longer to the terminal that asked */
/* The images that are there are taken in; the tool has yet to hear of them. */
void tool_start_images(void);
/* Callbacks of threads; called by vm_run at the start and end of a guest thread. */
void tool_thread_start(void);
void tool_thread_end(int code);
/* The process ends: the other guest threads are stopped, and their end is told. False: one of them could not be
 * stopped. */
bool tool_other_threads_end(int code);
/* A detach: all guest threads stand still and will go on without the tool. Calls the tool's functions for that, on the
 * agent; `end`: those for the end of a thread, too. */
void tool_threads_leave(bool end);
/* The same for a tool that stays (reattach.c), for the threads that are stopped (vm/pause.h); and when it is back.
 * Under the client lock. */
void tool_stopped_threads_leave(void);
void tool_stopped_threads_come(void);
/* From PIN_StartProgram on, the tool can be taken out of the process. */
void detach_init(void);
/* True: PIN_Detach has been called, the program ends before it could be carried out, and the tool has been told. */
bool detach_instead_of_end(void);
/* Nothing of the tool will run any more: calls the destructors of its global objects, which write its streams. */
void tool_destroy(void);
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
/* Is there one beside the calling thread? */
bool internal_threads_live(void);
/* After the thread's fini functions: destructors of its tool TLS. */
void tool_thread_data_end(u32 id);
bool tool_thread_data_used(void);
void *PIN_GetThreadData(int key, u32 thread); /* thread ~0: the calling one */
struct bridge_state;
void PIN_StartProgramProbed(void) NORETURN;
void PIN_ExecuteAt(const struct bridge_state *c) NORETURN;
void PIN_ExitApplication(int status) NORETURN;

#endif

/* SPDX-License-Identifier: Apache-2.0
 * What an operating system owes to probe mode, in which the program runs natively and host code only from probes
 * (docs/design/probes.md, PB1 to PB6). */
#ifndef LP_OS_NATIVE_H
#define LP_OS_NATIVE_H
#include "base/base.h"

extern bool os_native; /* the program runs natively */

/* Once, when the tool has asked for probe mode: signals are the program's again, and threads will be known. */
void native_init(void);
/* The calling thread, whose guest state is in vm_tc.cpu, goes on natively. */
void native_start(void) NORETURN;
/* On the host's side of each probe: the thread that has come is known to the host's libc and to the engine. */
void native_settle(void);
/* Is the calling thread in the memory of another process, which waits for it (vfork)? */
bool native_visits(void);
/* The tid of a visitor that has a stack of its own; 0: the thread is the one that the identity belongs to. */
int native_visitor(void);
/* Are both on the calling thread's own stack? */
bool native_same_stack(u64 a, u64 b);
/* How much of the calling thread's stack is above that address; 0: it is not on it. */
u64 native_stack_left(u64 sp);
/* Is the calling thread the only one of the process? */
bool native_alone(void);
/* The same at several places, while all threads stand still. A thread at one of the instructions in `moved` goes on at
 * its copy. */
#define NATIVE_PATCH_BYTES 8u
#define NATIVE_PATCH_MOVED 8u
struct native_patch {
    u64 at;
    u32 bytes, nmoved;
    u8 code[NATIVE_PATCH_BYTES];
    struct { u64 from, to; } moved[NATIVE_PATCH_MOVED];
};
/* NATIVE_DUE: it is in host code, and comes when it leaves that: arch_probe_due is called. */
enum native_sent { NATIVE_ENDED, NATIVE_SENT, NATIVE_DUE };
struct native_visit {
    s32 tid;
    u32 sent;        /* enum native_sent */
    u64 at, back;    /* where it goes, and where the address is put that it comes from */
};
bool native_patch(const struct native_patch *p, u32 n, struct native_visit *v, u32 nvisits, u64 generation);
/* No thread runs there. At an attach one may stand there: it goes on at the copy, too. */
bool native_patch_quiet(const struct native_patch *p);
/* PB21: a launched program has no agent: what the launcher asks for is done by a thread of the program's that it sends
 * to this visit, which must do native_errand then. at 0: nobody can ask for now. why_not: NULL, or why it is not
 * done. */
void native_take_errands(u64 at, u64 back);
void native_errand(const char *why_not);
/* In between no identity is made for a new thread: what is listed is all that there is. */
void native_hold_new(bool hold);
/* The program's threads but the calling one: the tid of each. Returns how many there are; room: of v. */
u32 native_list_threads(struct native_visit *v, u32 room);
/* Code that may not be writable. False: the kernel says no. */
bool native_write_code(u64 at, const void *from, size_t bytes);
/* The program's mappings may have changed: reads them, and tells of code that has come or gone (os_events.mapped,
 * unmapped). */
void native_rescan(void);
/* Around a fork that the program makes by itself. */
void native_before_fork(void);
s64 native_fork_and_wait(void); /* the parent goes on when the child executes or ends */
void native_after_fork(bool child);
/* The program is about to call execve with these arguments: if it is to be followed, they become those that execute the
 * launcher in its place. ends: the process is the one that the tool watches, so that its results are told before. */
void native_exec(u64 args[3], bool ends);
/* The process is about to end. */
void native_ends(int status);

/* --- signals that end the process (PB19) --- */
/* From now on those whose action is the default one, which ends the process, lead to this handler. The calling
 * thread has all signals blocked afterwards. native_let_signals takes it back. */
void native_catch_signals(u64 handler, u64 restorer);
void native_let_signals(void);
/* Around the program's sigaction: it finds its own actions, and sets them. */
void native_before_sigaction(int sig);
void native_after_sigaction(void);
/* In the handler, whose arguments these are: the process ends when it has returned. tell: what is to be done at the end
 * is done before. native_repeats_signal: the same signal comes again as soon as no signal is blocked any more. */
void native_dies(int sig, const void *info, bool tell);
void native_repeats_signal(int sig, const void *info);
/* The numbers of the system calls that end the process, or what it is; the last one if it is of the only thread. */
enum native_number { NATIVE_EXIT, NATIVE_EXECUTE, NATIVE_EXIT_THREAD, NATIVE_NUMBERS };
u32 native_number(enum native_number n);

#endif

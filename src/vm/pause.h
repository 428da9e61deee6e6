/* SPDX-License-Identifier: Apache-2.0
 * Stopping all guest threads at a place where their state is whole in vm_tc.cpu (E3): in the dispatcher, or in a system
 * call that they wait in. Invariants:
 *   ST1  A thread is asked by stop_wanted, and by a signal if it may be in the cache; it never gets the signal inside a
 *        guest's system call, which that would end.
 *   ST2  Before a thread waits in the kernel it says so (STOP_SAFE) and then looks at stop_wanted; the stopper sets
 *        stop_wanted and then looks at what the thread says. So one of them sees the other.
 *   ST3  A thread that comes out of the kernel while threads are stopped waits there. It holds no lock then. */
#ifndef LP_VM_PAUSE_H
#define LP_VM_PAUSE_H
#include "os/thread.h"

enum stop_state {
    STOP_RUNS,   /* in the cache or in host code: its state may be anything */
    STOP_SAFE,   /* in a guest's system call */
    STOP_PARKED,
    STOP_GONE,   /* will not run guest code any more */
};

struct stop_change {
    u32 n;
    u64 word[]; /* n from before, n from after */
};

extern u32 stop_attention; /* the dispatcher has something to do */
void stop_enable(void);    /* before the guest runs: os_stops_threads, system calls go through the VM and ST2 is kept */

/* --- on a guest thread --- */
/* Called by the dispatcher after it has looked at what is pending; a signal makes it look again. */
void stop_point(void);
void stop_apply(void);     /* applies what the stopper has changed, when a system call is over */
bool stop_wanted_now(void); /* of the calling thread; for the signal handler */
bool stop_wanted(const struct thread *t);
/* Around a system call that may wait. */
void stop_enter_call(void);
void stop_leave_call(void);
void stop_leave_guest(void); /* STOP_GONE */

void stop_thread_gone(void); /* after the thread has left the list */
void stop_after_fork(void);

/* --- for the tool; on any thread --- */
/* True: all guest threads but the calling one are stopped. False: somebody else has stopped them, or is about to. */
bool stop_all(void);
bool stop_resume(void);    /* false: the calling thread has not stopped them */
u32 stop_count(void);
struct thread *stop_nth(u32 i); /* NULL: none. Valid until stop_resume */
/* The thread's state is to change as it differs between `was` and `now` (both the caller's, n words). The thread
 * itself does that before it goes on. */
void stop_change(struct thread *t, const u64 *was, const u64 *now, u32 n);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Stopping all guest threads at a place where their state is whole in vm_tc.cpu (E3): in the dispatcher, or in a system
 * call that they wait in. Invariants:
 *   ST1  A thread is asked by pause_wanted, and by a signal if it may be in the cache; it never gets the signal inside
 *        a guest's system call that this would end.
 *   ST2  Before a thread waits in the kernel it says so (PAUSE_SAFE) and then looks at pause_wanted; the stopper sets
 *        pause_wanted and then looks at what the thread says. So one of them sees the other.
 *   ST3  A thread that comes out of the kernel while threads are stopped waits there. It holds no lock then.
 *   ST4  A thread that is held counts as stopped, and stays so when the others are resumed. */
#ifndef LP_VM_PAUSE_H
#define LP_VM_PAUSE_H
#include "os/thread.h"

enum pause_state {
    PAUSE_RUNS,   /* in the cache or in host code: its state may be anything */
    PAUSE_SAFE,   /* in a guest's system call */
    PAUSE_PARKED,
    PAUSE_GONE,   /* will not run guest code any more */
};

struct pause_change {
    u32 n;
    u64 word[]; /* n words from before the change, then n from after it */
};

extern u32 pause_attention; /* the dispatcher has something to do */
/* Called before the guest runs: from then on system calls that may wait go through the VM, and ST2 is kept. */
void pause_enable(void);

/* --- on a guest thread --- */
/* Called by the dispatcher after it has looked at what is pending; a signal makes it look again. */
void pause_point(void);
void pause_apply(void);     /* applies the changes that the stopper has asked for, when a system call is over */
bool pause_wanted_now(void); /* of the calling thread; for the signal handler */
bool pause_wanted(const struct thread *t);
/* Around a system call that may wait. */
void pause_enter_call(void);
void pause_leave_call(void);
void pause_leave_guest(void); /* PAUSE_GONE */

void pause_thread_gone(void); /* after the thread has left the list */
void pause_after_fork(void);

/* --- for the tool; on any thread --- */
/* True: all guest threads but the calling one are stopped. False: somebody else has stopped them, or is about to. */
bool pause_all(void);
bool pause_resume(void);    /* false: the calling thread has not stopped them */
/* A thread that is held does not go on when the others do (ST4). Set while it is stopped, or by the thread itself,
 * which then waits in pause_point; taken back while all are stopped. */
void pause_hold(struct thread *t, bool on);
/* The dispatcher always comes to pause_point: threads may be held at any time. */
void pause_keep_looking(void);
u32 pause_count(void);
struct thread *pause_nth(u32 i); /* NULL: none. Valid until pause_resume */
/* Asks for a change of the thread's state: by what differs between `was` and `now` (both the caller's, n words). The
 * thread itself makes it before it goes on. */
void pause_change(struct thread *t, const u64 *was, const u64 *now, u32 n);

#endif

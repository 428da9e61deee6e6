/* SPDX-License-Identifier: Apache-2.0
 * All threads of a process, traced: seized, stopped, followed. The launcher's side of attach.c and detach.c. */
#ifndef LP_TASKS_H
#define LP_TASKS_H
#include "base/base.h"
#include "os/linux/boot.h"

#include <sys/types.h>
#include <sys/user.h>

#define TASKS_MAX 32768

/* A wait with a limit, as it was just before the thread was interrupted (timeouts.c). */
struct task_wait {
    u64 at;       /* when the thread last ran, in the clock of its CPU; 0: there is none */
    s64 cpu;
    u64 switches; /* how often it had gone to sleep */
};

struct task {
    pid_t tid;
    struct task_wait wait;
    bool stopped;
    bool wanted;    /* PTRACE_INTERRUPT is on its way */
    bool gone;      /* it has ended, or has been let go */
    bool waits;     /* timeouts_go_on has let it go, but it is still traced */
    struct boot_timeout left; /* with this limit */
    u64 mask;       /* and this signal mask */
    bool signal_first; /* tasks_signal_first */
    bool host;      /* not one of the guest's (detach) */
    u8 stage;       /* the user's */
    u32 index;      /* the user's */
};

struct tasks {
    pid_t pid;
    struct task *task;
    u32 n;
    long options;   /* PTRACE_O_* for every thread */
    bool new_are_host;
};

enum event_kind {
    EVENT_GONE,     /* of one thread */
    EVENT_STOP,     /* as asked for by tasks_interrupt */
    EVENT_TRAP,     /* in arch_trap of the engine */
    EVENT_SIGNAL,   /* status is its number; tasks_continue passes it on */
    EVENT_CALL,     /* a system call stop */
    EVENT_EXEC,     /* the process is another program now */
    EVENT_ALL_GONE,
    EVENT_INTERRUPTED, /* tasks_interrupted was set; sig: to what */
};
extern volatile int tasks_interrupted; /* a signal for us */

struct task_event {
    enum event_kind kind;
    struct task *task; /* NULL: EVENT_ALL_GONE */
    int sig;
};

/* Seizes every thread, also those that are made meanwhile. 0, or the errno that the kernel refused with. Threads
 * that are just ending are left out. */
int tasks_seize(struct tasks *t, pid_t pid, long options);
struct task *tasks_find(struct tasks *t, pid_t tid);
/* Looks for threads that are not in the list and seizes them. */
void tasks_seize_new(struct tasks *t);
void tasks_interrupt(struct task *task);
/* The next thing that somebody has to decide about; clones and job control are dealt with. trap_pc: where arch_trap
 * stops, 0: not known. */
void tasks_next(struct tasks *t, u64 trap_pc, struct task_event *e);
void tasks_continue(struct task *task, int request, int sig);
/* Interrupts all threads that run and waits until they have stopped. */
void tasks_stop_all(struct tasks *t);
/* The thread, which is stopped, ends by itself now. Waits until it has. */
void tasks_end_thread(struct tasks *t, struct task *task, u64 syscall_pc);
/* Lets all threads go. Those that run, and those that are stopped in a system call, do not notice: what the stop has
 * interrupted is made again. */
void tasks_detach_all(struct tasks *t);
/* Was the thread stopped in a system call, which has to be made again now that it was interrupted for nothing? */
bool tasks_call_interrupted(const struct user_regs_struct *regs);
/* The same, but there is a signal for it, which may end the call by right; or its instruction has raised one. True:
 * it goes on to take the signal, and there will be another EVENT_STOP. */
bool tasks_signal_first(const struct tasks *t, struct task *task, const struct user_regs_struct *regs);
/* The signals that would do nothing to the thread and not even wake it, were it not traced. */
u64 tasks_ignored(const struct tasks *t, const struct task *task);
/* Is there a signal that may end the thread's system call by right? */
bool tasks_has_signal(const struct tasks *t, const struct task *task);
/* Deals with an event that nobody has to decide about: the thread goes on. */
void tasks_pass(const struct tasks *t, struct task_event *e);
/* If the thread was interrupted in a system call: sets the registers to before the call. Where the kernel has a way
 * of its own to go on with a sleep, the next call is that one. */
void tasks_restart(struct user_regs_struct *regs);

#endif

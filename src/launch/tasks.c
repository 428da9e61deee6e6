/* SPDX-License-Identifier: Apache-2.0
 * See tasks.h. Knows nothing of the engine but the address of its trap. */
#include "launch/tasks.h"

#include "launch/launch.h"
#include "launch/timeouts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERESTARTSYS = 512, ERESTARTNOINTR = 513, ERESTARTNOHAND = 514, ERESTART_RESTARTBLOCK = 516 };

volatile int tasks_interrupted;

struct task *tasks_find(struct tasks *t, pid_t tid)
{
    for (u32 i = 0; i < t->n; i++)
        if (t->task[i].tid == tid && !t->task[i].gone)
            return &t->task[i];
    return NULL;
}

static struct task *add(struct tasks *t, pid_t tid)
{
    struct task *task = tasks_find(t, tid);
    if (task)
        return task;
    if (t->n == TASKS_MAX)
        die(1, "process %d has more than %d threads", t->pid, TASKS_MAX);
    t->task[t->n] = (struct task){.tid = tid, .host = t->new_are_host};
    return &t->task[t->n++];
}

/* --- /proc -------------------------------------------------------------------------------------------------------- */

static int read_file(const char *path, char *buf, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, bytes - 1);
    if (fd >= 0)
        close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return (int)n;
}

/* Its state's letter, 0: it is not there. */
static char state_of(const struct tasks *t, pid_t tid)
{
    char path[64], text[1024];
    base_format(path, sizeof path, "/proc/%d/task/%d/stat", t->pid, tid);
    const char *end = read_file(path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
    return end ? end[2] : 0;
}

static u64 status_mask(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoul(at + strlen(name), NULL, 16) : 0;
}

#define BIT(sig) (1ul << ((sig) - 1))
#define IGNORED_BY_DEFAULT (BIT(SIGCHLD) | BIT(SIGCONT) | BIT(SIGURG) | BIT(SIGWINCH))

#define OF_FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP) | BIT(SIGSYS))

struct signal_view {
    u64 pending, ignored; /* pending: and not blocked */
    u64 faults;           /* of pending, those that the thread's own instruction may have raised */
};

/* For a traced thread the kernel also keeps signals that the thread ignores. */
static struct signal_view view_signals(const struct tasks *t, const struct task *task)
{
    char path[64], text[4096];
    base_format(path, sizeof path, "/proc/%d/task/%d/status", t->pid, task->tid);
    if (read_file(path, text, sizeof text) <= 0)
        return (struct signal_view){0};
    u64 own = status_mask(text, "\nSigPnd:"), open = ~status_mask(text, "\nSigBlk:");
    return (struct signal_view){(own | status_mask(text, "\nShdPnd:")) & open,
        status_mask(text, "\nSigIgn:") | (IGNORED_BY_DEFAULT & ~status_mask(text, "\nSigCgt:")),
                                own & open & OF_FAULTS};
}

u64 tasks_ignored(const struct tasks *t, const struct task *task) { return view_signals(t, task).ignored; }

/* A signal that was blocked when it came was kept, ignored or not: the mask of the call has opened it. */
bool tasks_has_signal(const struct tasks *t, const struct task *task)
{
    struct signal_view v = view_signals(t, task);
    u64 mask = 0;
    ptrace(PTRACE_GETSIGMASK, task->tid, sizeof mask, &mask);
    return v.pending & (~v.ignored | mask);
}

/* --- seizing ------------------------------------------------------------------------------------------------------ */

/* The thread was made by one that we trace: it is traced from its start. */
static bool is_ours(const struct tasks *t, pid_t tid)
{
    char path[64], text[4096];
    base_format(path, sizeof path, "/proc/%d/task/%d/status", t->pid, tid);
    const char *at = read_file(path, text, sizeof text) > 0 ? strstr(text, "\nTracerPid:\t") : NULL;
    bool ours = at && atoi(at + 12) == getpid();
    errno = EPERM;
    return ours;
}

/* 0, or an errno. A thread that is ending cannot be seized and need not be. */
static int seize(struct tasks *t, pid_t tid, bool *fresh)
{
    if (tasks_find(t, tid))
        return 0;
    if (ptrace(PTRACE_SEIZE, tid, NULL, t->options) && !(errno == EPERM && is_ours(t, tid))) {
        int err = errno;
        char state = state_of(t, tid);
        return !state || state == 'Z' || state == 'X' ? 0 : err;
    }
    add(t, tid);
    *fresh = true;
    return 0;
}

static int seize_pass(struct tasks *t, bool *fresh)
{
    char path[32];
    int err = 0;
    base_format(path, sizeof path, "/proc/%d/task", t->pid);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return ESRCH;
    u8 buf[4096];
    for (long n; !err && (n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0;)
        for (long at = 0; at < n && !err; at += *(u16 *)(buf + at + 16)) {
            pid_t tid = atoi((char *)buf + at + 19);
            err = tid > 0 ? seize(t, tid, fresh) : 0;
        }
    close(fd);
    return err;
}

static int seize_all(struct tasks *t)
{
    int err = 0;
    for (bool fresh = true; fresh && !err;) {
        fresh = false;
        err = seize_pass(t, &fresh);
    }
    return err;
}

int tasks_seize(struct tasks *t, pid_t pid, long options)
{
    t->pid = pid;
    t->options = options;
    t->n = 0;
    if (!t->task)
        t->task = host_map_own(TASKS_MAX * sizeof *t->task);
    int err = seize_all(t);
    if (err)
        tasks_detach_all(t);
    return err ? err : t->n ? 0 : ESRCH;
}

void tasks_seize_new(struct tasks *t) { seize_all(t); }

/* --- stops -------------------------------------------------------------------------------------------------------- */

void tasks_interrupt(struct task *task)
{
    if (!task->gone && !task->stopped)
        timeouts_note(task);
    if (!task->gone && !task->stopped && ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL) == 0)
        task->wanted = true;
}

void tasks_continue(struct task *task, int request, int sig)
{
    task->stopped = false;
    ptrace(request, task->tid, NULL, sig); /* an error: it was killed, and the next event says so */
}

/* Any other stop takes the place of the one that was asked for, which therefore is asked for again. */
static void go_on(struct task *task, int sig)
{
    bool again = task->wanted || task->signal_first;
    task->signal_first = false;
    tasks_continue(task, PTRACE_CONT, sig);
    if (again)
        tasks_interrupt(task);
}

static bool in_trap(const struct task *task, u64 trap_pc)
{
    errno = 0;
    u64 pc = (u64)ptrace(PTRACE_PEEKUSER, task->tid, offsetof(struct user, regs.rip), NULL);
    return trap_pc && !errno && pc == trap_pc;
}

/* A new thread tells of itself by its first stop; it may have ended before its maker's PTRACE_EVENT_CLONE is seen. */
static bool take_stop(struct task *task, int st, u64 trap_pc, struct task_event *e)
{
    int event = st >> 16, sig = WSTOPSIG(st);
    task->stopped = true;
    e->task = task;
    e->sig = sig;
    if (event == PTRACE_EVENT_EXEC) {
        e->kind = EVENT_EXEC;
        return true;
    } else if (event == PTRACE_EVENT_STOP) {
        e->kind = EVENT_STOP;
        bool wanted = task->wanted;
        task->wanted = false;
        if (wanted)
            return true;
    } else if (event == 0 && sig == (SIGTRAP | 0x80)) {
        e->kind = EVENT_CALL;
        return true;
    } else if (event == 0) {
        e->kind = sig == SIGTRAP && in_trap(task, trap_pc) ? EVENT_TRAP : EVENT_SIGNAL;
        return true;
    }
    go_on(task, 0);
    return false;
}

void tasks_next(struct tasks *t, u64 trap_pc, struct task_event *e)
{
    for (;;) {
        int st;
        pid_t tid = tasks_interrupted ? -1 : waitpid(-1, &st, __WALL);
        if (tid < 0 && !tasks_interrupted && errno == EINTR)
            continue;
        if (tid < 0) {
            *e = (struct task_event){tasks_interrupted ? EVENT_INTERRUPTED : EVENT_ALL_GONE, NULL, tasks_interrupted};
            tasks_interrupted = 0;
            return;
        }
        struct task *task = tasks_find(t, tid);
        if (!WIFSTOPPED(st)) {
            if (!task)
                continue;
            task->gone = true;
            *e = (struct task_event){EVENT_GONE, task, 0};
            return;
        }
        if (take_stop(task ? task : add(t, tid), st, trap_pc, e))
            return;
    }
}

void tasks_stop_all(struct tasks *t)
{
    struct task_event e;
    u32 running = 0;
    for (u32 i = 0; i < t->n; i++) {
        tasks_interrupt(&t->task[i]);
        running += !t->task[i].gone && !t->task[i].stopped;
    }
    while (running) {
        struct user_regs_struct regs;
        tasks_next(t, 0, &e);
        if (e.kind == EVENT_ALL_GONE)
            return;
        if (e.kind == EVENT_GONE)
            running -= !e.task->stopped; /* it may have stopped, and then been killed with the others */
        else if (e.kind != EVENT_STOP)
            tasks_pass(t, &e);
        else if (ptrace(PTRACE_GETREGS, e.task->tid, NULL, &regs) || !tasks_signal_first(t, e.task, &regs))
            running--;
    }
}

void tasks_end_thread(struct tasks *t, struct task *task, u64 syscall_pc)
{
    struct user_regs_struct regs;
    struct task_event e;
    u64 all = ~0ul;
    if (task->gone || ptrace(PTRACE_GETREGS, task->tid, NULL, &regs))
        return;
    regs.rax = SYS_exit;
    regs.rdi = 0;
    regs.rip = syscall_pc;
    regs.orig_rax = (u64)-1;
    ptrace(PTRACE_SETSIGMASK, task->tid, sizeof all, &all);
    ptrace(PTRACE_SETREGS, task->tid, NULL, &regs);
    tasks_continue(task, PTRACE_CONT, 0);
    do
        tasks_next(t, 0, &e);
    while (e.kind != EVENT_ALL_GONE && !task->gone);
}

/* The kernel's codes for "make the call again". Some calls answer EINTR whenever they are woken: they have to be
 * made again, too. Not close, which has done its work by then. */
bool tasks_call_interrupted(const struct user_regs_struct *regs)
{
    if ((s64)regs->orig_rax < 0)
        return false;
    switch (-(s64)regs->rax) {
    case ERESTARTSYS:
    case ERESTARTNOINTR:
    case ERESTARTNOHAND:
    case ERESTART_RESTARTBLOCK:
        return true;
    case EINTR:
        return regs->orig_rax != SYS_close;
    default:
        return false;
    }
}

/* Another thread may take the signal instead: then the call is made again, and that stops it too (PTRACE_SYSCALL). */
bool tasks_signal_first(const struct tasks *t, struct task *task, const struct user_regs_struct *regs)
{
    struct signal_view v = view_signals(t, task);
    if (!(tasks_call_interrupted(regs) ? v.pending & ~v.ignored : v.faults))
        return false;
    task->signal_first = true;
    tasks_continue(task, PTRACE_SYSCALL, 0);
    return true;
}

void tasks_restart(struct user_regs_struct *regs)
{
    if (!tasks_call_interrupted(regs))
        return;
    regs->rax = regs->rax == (u64)-ERESTART_RESTARTBLOCK ? (u64)SYS_restart_syscall : regs->orig_rax;
    regs->rip -= 2;
    regs->orig_rax = (u64)-1;
}

/* Without a tracer the signal would not even have woken the thread. */
static void forget_ignored(const struct tasks *t, const struct task_event *e)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, e->task->tid, NULL, &regs) || regs.rax != (u64)-EINTR ||
        !(view_signals(t, e->task).ignored & BIT(e->sig)))
        return;
    tasks_restart(&regs);
    ptrace(PTRACE_SETREGS, e->task->tid, NULL, &regs);
}

void tasks_pass(const struct tasks *t, struct task_event *e)
{
    if (e->kind != EVENT_SIGNAL && e->kind != EVENT_CALL && e->kind != EVENT_STOP && e->kind != EVENT_EXEC)
        return;
    if (e->kind == EVENT_SIGNAL)
        forget_ignored(t, e);
    go_on(e->task, e->kind == EVENT_SIGNAL ? e->sig : 0);
}

/* --- letting go --------------------------------------------------------------------------------------------------- */

/* A running thread cannot be let go. */
static void stop(struct tasks *t, struct task *task)
{
    struct user_regs_struct regs;
    struct task_event e;
    tasks_interrupt(task);
    while (!task->gone && !task->stopped) {
        int st;
        pid_t tid = waitpid(task->tid, &st, __WALL);
        if (tid < 0 && errno == EINTR)
            continue;
        if (tid < 0 || !WIFSTOPPED(st))
            task->gone = true;
        else if (!take_stop(task, st, 0, &e))
            continue;
        else if (e.kind != EVENT_STOP)
            tasks_pass(t, &e);
        else if (!ptrace(PTRACE_GETREGS, task->tid, NULL, &regs))
            tasks_signal_first(t, task, &regs);
    }
}

/* The thread is stopped in a system call that answers EINTR for that: the call is made again. */
static void make_again(struct tasks *t, struct task *task)
{
    struct user_regs_struct regs;
    struct boot_timeout left = {0};
    u64 mask;
    if (task->gone || ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) || !tasks_call_interrupted(&regs) ||
        (!timeouts_left(task, &regs, &left) && regs.rax != (u64)-EINTR))
        return;
    tasks_restart(&regs);
    timeouts_shorten(&regs, &left);
    ptrace(PTRACE_SETREGS, task->tid, NULL, &regs);
    if (left.nr && !left.ms && !ptrace(PTRACE_GETSIGMASK, task->tid, sizeof mask, &mask))
        timeouts_go_on(t, task, &left, mask);
}

void tasks_detach_all(struct tasks *t)
{
    /* The end of the first thread is told when all others are gone, and those that are traced go when that has been
     * heard of here. */
    for (u32 i = 0; i < t->n; i++)
        if (t->task[i].tid != t->pid)
            stop(t, &t->task[i]);
    struct task *first = tasks_find(t, t->pid);
    if (first)
        stop(t, first);
    for (u32 i = 0; i < t->n; i++) /* all others stand still meanwhile */
        make_again(t, &t->task[i]);
    for (u32 i = 0; i < t->n; i++) {
        if (!t->task[i].gone)
            ptrace(PTRACE_DETACH, t->task[i].tid, NULL, NULL);
        t->task[i].gone = true;
    }
    timeouts_leave(t);
}

/* SPDX-License-Identifier: Apache-2.0
 * Some system calls that wait answer EINTR when they are interrupted for nothing, and the kernel tells nobody how much
 * of their time has passed. But a thread that waits does not run, and /proc/TID/sched says when it last did: that is
 * not before the call began, so what is taken for the time that has passed is never too much. It is too little by what
 * a hypervisor has taken from the CPU meanwhile, which the scheduler's clock does not count. Where the kernel has no
 * such file, nothing is known, and the call is made again with its whole time. Changes nothing of the program but the
 * limit of that call (N4). */
#include "launch/timeouts.h"

#include "launch/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ul
#define MILLISECOND_NS 1000000ul
#define CPU_FIELD 37 /* of /proc/TID/stat */
#define CPUS_KNOWN 64

/* Calls with a relative limit: which argument, and whether it is a number of milliseconds or a struct timespec. All
 * others either have none, go on by themselves, or write what is left into their argument. */
static const struct {
    u16 nr;
    u8 arg;
    bool ms;
} calls[] = {
    {SYS_epoll_wait, 3, true},       {SYS_epoll_pwait, 3, true},  {SYS_epoll_pwait2, 3, false},
    {SYS_rt_sigtimedwait, 2, false}, {SYS_semtimedop, 3, false},  {SYS_io_getevents, 4, false},
    {SYS_io_pgetevents, 4, false},   {SYS_recvmmsg, 4, false},
};

static u64 now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * SECOND_NS + (u64)t.tv_nsec;
}

static int find_call(u64 nr)
{
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        if (calls[i].nr == nr)
            return (int)i;
    return -1;
}

/* --- since when does it wait? ------------------------------------------------------------------------------------- */

static bool read_proc(pid_t tid, const char *name, char *text, size_t bytes)
{
    char path[48];
    base_format(path, sizeof path, "/proc/%d/%s", tid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, bytes - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

struct last_run {
    u64 at;       /* in the clock of the CPU on which it was, nanoseconds */
    u64 switches; /* how often it has gone to sleep */
};

static const char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    at = at ? strchr(at, ':') : NULL;
    return at ? at + 1 : NULL;
}

/* The time is shown in milliseconds, with six digits after the point. */
static bool read_last_run(pid_t tid, struct last_run *r)
{
    char text[4096], *point;
    if (!read_proc(tid, "sched", text, sizeof text))
        return false;
    const char *at = value_of(text, "\nse.exec_start"), *switches = value_of(text, "\nnr_voluntary_switches");
    if (!at || !switches)
        return false;
    u64 ms = strtoul(at, &point, 10);
    r->at = ms * MILLISECOND_NS + (*point == '.' ? strtoul(point + 1, NULL, 10) : 0);
    r->switches = strtoul(switches, NULL, 10);
    return true;
}

/* On this CPU, if it is the one that is asked for. The kernel brings the moment up to date when it is asked for the
 * thread's CPU time. */
static bool measure_here(s64 cpu, s64 *behind)
{
    struct timespec unused;
    struct last_run own;
    if (sched_getcpu() != cpu || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &unused) ||
        !read_last_run((pid_t)syscall(SYS_gettid), &own))
        return false;
    *behind = (s64)(now_ns() - own.at);
    return sched_getcpu() == cpu;
}

/* How far the CPU's clock is behind ours: seen from there, because a CPU's clock does not count what a hypervisor has
 * taken from it. On a busy machine the way there takes long. */
static bool measure_clock(s64 cpu, s64 *behind)
{
    cpu_set_t before, only;
    if (measure_here(cpu, behind))
        return true;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    if (sched_getaffinity(0, sizeof before, &before) || sched_setaffinity(0, sizeof only, &only))
        return false;
    bool known = measure_here(cpu, behind);
    sched_setaffinity(0, sizeof before, &before);
    return known;
}

static bool clock_behind(s64 cpu, s64 *behind)
{
    static struct {
        bool known;
        s64 behind;
    } clocks[CPUS_KNOWN];
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return false;
    if (cpu >= CPUS_KNOWN)
        return measure_clock(cpu, behind);
    if (!clocks[cpu].known && !(clocks[cpu].known = measure_clock(cpu, &clocks[cpu].behind)))
        return false;
    *behind = clocks[cpu].behind;
    return true;
}

/* If the thread has not run between the two looks, all that is seen belongs together. */
void timeouts_note(struct task *task)
{
    char text[256];
    struct last_run first, again;
    task->wait = (struct task_wait){0};
    if (!read_proc(task->tid, "syscall", text, sizeof text) || find_call(strtoul(text, NULL, 10)) < 0 ||
        !read_last_run(task->tid, &first))
        return;
    s64 cpu = target_stat(task->tid, CPU_FIELD);
    if (read_last_run(task->tid, &again) && first.at == again.at)
        task->wait = (struct task_wait){first.at, cpu, first.switches};
}

/* Between the wait's beginning and the stop, if the thread has come to that on the same CPU. Else up to now. */
static bool time_passed(const struct task *task, const struct last_run *stop, u64 *ns)
{
    s64 behind, passed = (s64)(stop->at - task->wait.at);
    if (target_stat(task->tid, CPU_FIELD) != task->wait.cpu) {
        if (!clock_behind(task->wait.cpu, &behind))
            return false;
        passed = (s64)now_ns() - behind - (s64)task->wait.at;
    }
    *ns = passed > 0 ? (u64)passed : 0;
    return true;
}

/* --- what is left ------------------------------------------------------------------------------------------------- */

static u64 *argument(struct user_regs_struct *regs, u32 i)
{
    unsigned long long *word[] = {&regs->rdi, &regs->rsi, &regs->rdx, &regs->r10, &regs->r8, &regs->r9};
    return (u64 *)word[i];
}

static bool read_time(pid_t tid, u64 at, struct timespec *time)
{
    const struct target t = {.live = tid};
    return target_read(&t, at, time, sizeof *time);
}

/* False: it waits for ever, or not at all. */
static bool whole_time(pid_t tid, int call, u64 arg, u64 *ns)
{
    struct timespec time;
    if (calls[call].ms) {
        *ns = (u64)(int)arg * MILLISECOND_NS;
        return (int)arg > 0;
    }
    if (!arg || !read_time(tid, arg, &time) || time.tv_sec < 0 || (u64)time.tv_nsec >= SECOND_NS ||
        (u64)time.tv_sec >= ~0ul / SECOND_NS / 2)
        return false;
    *ns = (u64)time.tv_sec * SECOND_NS + (u64)time.tv_nsec;
    return *ns;
}

/* The stop is the thread's next sleep after the wait. */
bool timeouts_left(const struct task *task, const struct user_regs_struct *regs, struct boot_timeout *left)
{
    struct user_regs_struct now = *regs;
    struct last_run stop;
    u64 whole, passed;
    int call = find_call(regs->orig_rax);
    if (call < 0 || !task->wait.at || !tasks_call_interrupted(regs) || !read_last_run(task->tid, &stop) ||
        stop.switches != task->wait.switches + 1 ||
        !whole_time(task->tid, call, *argument(&now, calls[call].arg), &whole) || !time_passed(task, &stop, &passed))
        return false;
    *left = (struct boot_timeout){.nr = regs->orig_rax, .arg = calls[call].arg, .ms = calls[call].ms,
        .left_ns = whole > passed ? whole - passed : 0, .noted = now_ns()};
    return true;
}

static u64 left_now(const struct boot_timeout *left)
{
    u64 since = left->noted ? now_ns() - left->noted : 0;
    return left->left_ns > since ? left->left_ns - since : 0;
}

/* --- to go on without the engine ---------------------------------------------------------------------------------- */

void timeouts_shorten(struct user_regs_struct *regs, const struct boot_timeout *left)
{
    if (left->nr && left->ms)
        *argument(regs, left->arg) = (left_now(left) + MILLISECOND_NS - 1) / MILLISECOND_NS;
}

/* Also memory that the program itself cannot write. */
static bool write_time(pid_t tid, u64 at, const struct timespec *time)
{
    char path[32];
    base_format(path, sizeof path, "/proc/%d/mem", tid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && pwrite(fd, time, sizeof *time, (off_t)at) == sizeof *time;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Runs the thread to the entry of its call. Signals that may end the call wait for it; those that are ignored, which
 * the kernel has kept because the thread is traced, go. False: the thread has ended, or its process is stopped. */
static bool to_entry(const struct tasks *t, const struct task *task, u64 mask)
{
    u64 blocked = mask | ~tasks_ignored(t, task);
    int st, sig = 0;
    bool stopped;
    ptrace(PTRACE_SETSIGMASK, task->tid, sizeof blocked, &blocked);
    do {
        stopped = !ptrace(PTRACE_SYSCALL, task->tid, NULL, sig) && waitpid(task->tid, &st, __WALL) == task->tid &&
                  WIFSTOPPED(st) && st >> 16 == 0;
        sig = stopped ? WSTOPSIG(st) : 0;
    } while (stopped && sig != (SIGTRAP | 0x80));
    ptrace(PTRACE_SETSIGMASK, task->tid, sizeof mask, &mask);
    return stopped;
}

/* Only a thread that waits for something of its own accord is asleep; one that is just being woken, or waits for its
 * memory, is not. The first file does not tell them apart; the second one shows also a thread that is about to sleep,
 * but for which a signal has come. */
static bool asleep(pid_t tid)
{
    char text[256];
    if (!read_proc(tid, "syscall", text, sizeof text) || text[0] == 'r')
        return false;
    const char *state = read_proc(tid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    return state && state[1] == ' ' && state[2] == 'S';
}

/* The call begins, and the kernel has read its arguments. True: the thread waits in it. Else the call is over, and the
 * thread is stopped behind it. */
static bool begin_call(const struct task *task)
{
    const struct timespec little = {0, 50000};
    int st;
    ptrace(PTRACE_SYSCALL, task->tid, NULL, NULL);
    for (;; nanosleep(&little, NULL)) {
        if (waitpid(task->tid, &st, __WALL | WNOHANG) == task->tid)
            return false;
        if (asleep(task->tid))
            return true;
    }
}

/* The kernel reads the time when the call begins: until then there is another one in its place. */
static bool wait_rest(const struct task *task, const struct boot_timeout *left)
{
    u64 ns = left_now(left);
    const struct timespec rest = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
    struct user_regs_struct regs;
    struct timespec own;
    if (ptrace(PTRACE_GETREGS, task->tid, NULL, &regs))
        return false;
    u64 at = *argument(&regs, left->arg);
    bool in_place = read_time(task->tid, at, &own) && write_time(task->tid, at, &rest);
    bool waits = begin_call(task);
    if (in_place)
        write_time(task->tid, at, &own);
    return waits;
}

/* True: the call, behind which the thread is stopped, has ended for nothing, and the thread is before it again. */
static bool back_before_call(const struct tasks *t, const struct task *task)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) || !tasks_call_interrupted(&regs) ||
        tasks_has_signal(t, task))
        return false;
    tasks_restart(&regs);
    return !ptrace(PTRACE_SETREGS, task->tid, NULL, &regs);
}

/* As long as the thread is traced, a signal that it ignores ends its wait, too. */
void timeouts_go_on(const struct tasks *t, struct task *task, const struct boot_timeout *left, u64 mask)
{
    do
        task->waits = to_entry(t, task, mask) && wait_rest(task, left);
    while (!task->waits && back_before_call(t, task));
    task->left = *left;
    task->mask = mask;
    if (!task->waits)
        ptrace(PTRACE_DETACH, task->tid, NULL, NULL);
    task->gone = true;
}

/* True: its wait has ended for nothing, and it waits again for what is left. */
static bool waits_again(const struct tasks *t, struct task *task)
{
    int st;
    if (!task->waits || waitpid(task->tid, &st, __WALL | WNOHANG) <= 0)
        return false;
    const struct boot_timeout left = task->left;
    if (back_before_call(t, task)) {
        timeouts_go_on(t, task, &left, task->mask);
        return true;
    }
    ptrace(PTRACE_DETACH, task->tid, NULL, NULL);
    task->waits = false;
    return false;
}

/* By the end of this process a thread that waits is let go without being woken; PTRACE_DETACH would need it stopped. */
void timeouts_leave(const struct tasks *t)
{
    for (bool again = true; again;) {
        again = false;
        for (u32 i = 0; i < t->n; i++)
            again |= waits_again(t, &t->task[i]);
    }
}

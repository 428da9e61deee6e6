/* SPDX-License-Identifier: Apache-2.0
 * linchpin -pid: puts the engine into a running process (docs/design/attach.md). Stops all threads and records where
 * they are, maps the host as at a launch, and starts it on a thread of its own, the agent, while the program's
 * threads stand still. When engine and tool are up, every thread of the program goes on inside the engine. Until
 * then nothing of the program has changed that is not put back when something fails (rollback.c). Rules N1, N2. */
#include "launch/launch.h"
#include "launch/remote.h"
#include "launch/rollback.h"
#include "launch/target.h"
#include "launch/tasks.h"
#include "launch/timeouts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif
#ifndef PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG
#define PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG 0x4210
#define PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG 0x4211
#endif
#define DISPATCH_INSIDE 2 /* PR_SYS_DISPATCH_INCLUSIVE_ON */
#define PATIENCE_SECONDS 5
#define AGENT_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static struct target target;
static struct tasks tasks;
static struct rollback before;
static struct remote remote;       /* the thread that maps the host */
static struct host_layout layout;
static struct task *agent;
static struct boot_thread *record;
static bool loaded;

/* --- the program's threads ---------------------------------------------------------------------------------------- */

struct rseq_config { /* struct ptrace_rseq_configuration */
    u64 area;
    u32 bytes, signature, flags, pad;
};
struct rseq_section { /* struct rseq_cs */
    u32 version, flags;
    u64 start, length, abort;
};

/* A thread that was stopped inside a critical section has lost: it goes on at the section's abort address. */
static void leave_section(struct boot_thread *r)
{
    u64 at = 0;
    struct rseq_section s;
    if (!target_read(&target, r->rseq + 8, &at, sizeof at) || !at || !target_read(&target, at, &s, sizeof s))
        return;
    if (r->regs.rip - s.start < s.length)
        r->regs.rip = s.abort;
}

static void take_rseq(struct boot_thread *r)
{
    struct rseq_config c = {0};
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, r->tid, sizeof c, &c) != sizeof c || !c.area)
        return;
    r->rseq = c.area;
    r->rseq_bytes = c.bytes;
    r->rseq_signature = c.signature;
    leave_section(r);
}

/* Until the detach the engine does it (sys_dispatch.c). Where the calls inside a range are caught, the kernel shows all
 * else as the range whose calls are not. */
static void take_dispatch(struct boot_thread *r)
{
    struct boot_dispatch d = {0}, off = {0};
    if (ptrace(PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, r->tid, sizeof d, &d) || !d.mode ||
        ptrace(PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG, r->tid, sizeof off, &off))
        return;
    if (d.start && d.start + d.bytes <= d.start)
        d = (struct boot_dispatch){DISPATCH_INSIDE, d.selector, d.start + d.bytes, -d.bytes};
    r->dispatch = d;
}

static void take_thread(struct boot_thread *r, const struct task *task, struct user_regs_struct *was)
{
    struct iovec xstate = {r->xstate, sizeof r->xstate};
    if (ptrace(PTRACE_GETREGS, task->tid, NULL, was) || ptrace(PTRACE_GETREGSET, task->tid, NT_X86_XSTATE, &xstate) ||
        ptrace(PTRACE_GETSIGMASK, task->tid, sizeof r->sigmask, &r->sigmask))
        die(1, "a thread of process %d cannot be read: %s", target.pid, strerror(errno));
    r->tid = task->tid;
    r->xstate_bytes = xstate.iov_len;
    r->regs = *was;
    bool limited = timeouts_left(task, was, &r->timeout);
    tasks_restart(&r->regs);
    if (limited)
        r->regs.rax = SYS_restart_syscall;
    take_rseq(r);
    take_dispatch(r);
    r->regs.orig_rax = (u64)-1;
}

/* The process' first thread first, if it is there. */
static void order_tasks(void)
{
    struct task *first = tasks_find(&tasks, target.pid);
    u32 n = 0;
    if (first) {
        struct task t = *first;
        *first = tasks.task[0];
        tasks.task[0] = t;
    }
    for (u32 i = 0; i < tasks.n; i++)
        if (!tasks.task[i].gone)
            tasks.task[n++] = tasks.task[i];
    tasks.n = n;
}

static void take_threads(void)
{
    u32 known;
    do { /* a thread that still ran may have made another */
        known = tasks.n;
        tasks_stop_all(&tasks);
        tasks_seize_new(&tasks);
    } while (tasks.n != known);
    order_tasks();
    if (!tasks.n)
        die(1, "process %d ended", target.pid);
    record = host_map_own(tasks.n * sizeof *record);
    before.regs = host_map_own(tasks.n * sizeof *before.regs);
    for (u32 i = 0; i < tasks.n; i++)
        take_thread(&record[i], &tasks.task[i], &before.regs[i]);
    boot.nthreads = tasks.n;
}

/* --- what goes in ------------------------------------------------------------------------------------------------- */

static int read_auxv(u64 *words, u32 room)
{
    char path[32];
    base_format(path, sizeof path, "/proc/%d/auxv", target.live);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, words, room * sizeof *words);
    if (fd >= 0)
        close(fd);
    return n < 32 ? 0 : (int)(n / (ssize_t)sizeof *words);
}

/* Threads, mappings and auxv follow each other in one piece of memory. */
static void set_extra(const struct auxv *auxv)
{
    u64 threads = tasks.n * sizeof *record, ranges = before.nranges * sizeof *before.range,
        bytes = (u64)auxv->words * sizeof *auxv->word;
    u8 *mem = host_map_own(threads + ranges + bytes);
    memcpy(mem, record, threads);
    memcpy(mem + threads, before.range, ranges);
    memcpy(mem + threads + ranges, auxv->word, bytes);
    boot.nranges = before.nranges;
    boot.guest_auxv_bytes = bytes;
    host_set_extra(mem, threads + ranges + bytes, threads + ranges);
}

static void set_boot(struct auxv *auxv)
{
    char link[32], path[PATH_MAX];
    u64 *entry = auxv_find(auxv, AT_ENTRY);
    base_format(link, sizeof link, "/proc/%d/exe", target.live);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    host_set_exe(path);
    boot.mode = BOOT_ATTACH;
    boot.nformer = target.nformer;
    memcpy(boot.former, target.former, sizeof boot.former);
    boot.guest_entry = entry ? *entry : 0;
    boot.attacher = getpid();
    set_extra(auxv);
}

/* --- failure ------------------------------------------------------------------------------------------------------ */

/* Makes the process go on as if nothing had happened. The kernel itself makes interrupted system calls again, except
 * those that it ends with EINTR: those are put back here. */
static void give_up(void)
{
    static bool once;
    if (once)
        return;
    once = true;
    remote.give_up = NULL;
    if (remote.syscall_pc) /* else nothing was changed yet */
        rollback_undo(&before, &tasks, &remote, loaded ? layout.stack_lo : 0);
    for (u32 i = 0; i < boot.nthreads; i++) {
        struct user_regs_struct regs = before.regs[i];
        if (regs.rax == (u64)-EINTR || record[i].timeout.nr)
            tasks_restart(&regs);
        timeouts_shorten(&regs, &record[i].timeout);
        ptrace(PTRACE_SETREGS, record[i].tid, NULL, &regs);
        ptrace(PTRACE_SETSIGMASK, record[i].tid, sizeof record[i].sigmask, &record[i].sigmask);
        if (record[i].dispatch.mode)
            ptrace(PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG, record[i].tid, sizeof record[i].dispatch,
                   &record[i].dispatch);
    }
    for (u32 i = 0; i < boot.nthreads; i++)
        if (record[i].timeout.nr && !record[i].timeout.ms)
            timeouts_go_on(&tasks, &tasks.task[i], &record[i].timeout, record[i].sigmask);
    remote_resend(&remote);
    tasks_detach_all(&tasks);
}

static void fail(const char *fmt, ...) PRINTF_LIKE(1, 2) NORETURN;
static void fail(const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    give_up();
    /* Where it is a file: after what the engine and the tool have written through a descriptor of their own. */
    lseek(STDERR_FILENO, 0, SEEK_END);
    die(1, "%s", text);
}

/* --- the agent ---------------------------------------------------------------------------------------------------- */

static void make_agent(void)
{
    u64 arg[6] = {AGENT_FLAGS, layout.sp};
    ptrace(PTRACE_SETOPTIONS, remote.pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE);
    long tid = remote_syscall(&remote, SYS_clone, arg);
    int st;
    if (tid < 0)
        fail("process %d cannot have one more thread: %s", target.pid, strerror((int)-tid));
    ptrace(PTRACE_SETOPTIONS, remote.pid, NULL, PTRACE_O_TRACESYSGOOD);
    if (waitpid((pid_t)tid, &st, __WALL) != tid || !WIFSTOPPED(st) ||
        ptrace(PTRACE_SETOPTIONS, (pid_t)tid, NULL, PTRACE_O_TRACESYSGOOD))
        fail("process %d: the engine's thread does not start", target.pid);
    tasks.task[tasks.n] = (struct task){.tid = (pid_t)tid, .stopped = true, .host = true};
    agent = &tasks.task[tasks.n++];
    struct user_regs_struct start = remote.regs;
    start.rip = layout.entry;
    start.rsp = layout.sp;
    start.rdx = 0; /* ld.so: no exit function */
    start.rbp = 0;
    start.fs_base = 0;
    start.eflags = 0x202;
    start.orig_rax = (u64)-1;
    if (ptrace(PTRACE_SETREGS, agent->tid, NULL, &start))
        fail("process %d: the engine cannot be started: %s", target.pid, strerror(errno));
}

static u64 agent_word(u64 offset)
{
    errno = 0;
    return (u64)ptrace(PTRACE_PEEKUSER, agent->tid, offset, NULL);
}

/* True: nobody handles the signal, and it would end the process. */
static bool is_fatal(int sig)
{
    u64 handled =
        strtoul(target_field(agent->tid, "SigCgt"), NULL, 16) | strtoul(target_field(agent->tid, "SigIgn"), NULL, 16);
    return !(handled >> (sig - 1) & 1) && sig != SIGCHLD && sig != SIGCONT && sig != SIGURG && sig != SIGWINCH;
}

static void on_interrupt(int sig) { tasks_interrupted = sig; }

/* While the tool starts, which may take for ever, the user may interrupt the attach; after some seconds a message says
 * so. */
static void allow_interrupt(bool on)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction act = {.sa_handler = on_interrupt};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        sigaddset(&set, signals[i]);
        sigaction(signals[i], &act, NULL);
    }
    sigprocmask(on ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

/* Runs the agent from its first instruction to the point where the tool is ready. If engine or tool want to end the
 * process meanwhile, the attach fails instead: the process is the program's. */
static void run_agent(void)
{
    struct boot_control control = {0};
    struct task_event e;
    bool ends = false; /* the tool has called PIN_ExitProcess */
    alarm(PATIENCE_SECONDS);
    tasks_continue(agent, PTRACE_SYSCALL, 0);
    for (;;) {
        allow_interrupt(true);
        tasks_next(&tasks, control.trap_pc, &e);
        allow_interrupt(false);
        if (e.kind == EVENT_INTERRUPTED && e.sig == SIGALRM) {
            msg("process %d: the tool takes long to start: its main has not come to PIN_StartProgram. The program "
                "stands still until then; Ctrl-C gives up, and the program goes on without the tool", target.pid);
            continue;
        }
        if (e.kind == EVENT_INTERRUPTED)
            fail("process %d was not attached to: interrupted", target.pid);
        if (ends && e.kind == EVENT_ALL_GONE)
            _exit(0);
        if (ends)
            continue;
        if (e.kind == EVENT_ALL_GONE || (e.kind == EVENT_GONE && e.task != agent))
            die(1, "process %d ended while the engine was being put into it", target.pid);
        if (e.task != agent)
            continue;
        if (e.kind == EVENT_GONE)
            fail("process %d: the engine's thread ended", target.pid);
        u64 nr = e.kind == EVENT_CALL ? agent_word(offsetof(struct user, regs.orig_rax)) : 0;
        ends = nr == SYS_exit_group && agent_word(offsetof(struct user, regs.rsi)) == BOOT_END_PROGRAM;
        if (!ends && e.kind == EVENT_CALL && (nr == SYS_exit_group || nr == SYS_exit))
            fail("process %d was not attached to: the engine or the tool ended with status %d", target.pid,
                 (int)agent_word(offsetof(struct user, regs.rdi)));
        bool trap = e.kind == EVENT_SIGNAL && e.sig == SIGTRAP && target_read_control(&target, &control) &&
                    control.state == BOOT_ADOPTS;
        if (trap && agent_word(offsetof(struct user, regs.rip)) == control.trap_pc)
            return;
        if (e.kind == EVENT_SIGNAL && is_fatal(e.sig))
            fail("process %d was not attached to: the engine or the tool was ended by signal %d (%s)", target.pid,
                 e.sig, strsignal(e.sig));
        tasks_continue(agent, PTRACE_SYSCALL, e.kind == EVENT_SIGNAL ? e.sig : 0);
    }
}

/* --- the threads go on -------------------------------------------------------------------------------------------- */

static void let_go(void)
{
    static const u64 all = ~0ul;
    if (!target_read(&target, layout.extra, record, boot.nthreads * sizeof *record))
        fail("process %d: its memory cannot be read: %s", target.pid, strerror(errno));
    for (u32 i = 0; i < boot.nthreads; i++) { /* only a killed thread refuses this, and then the process ends anyway */
        ptrace(PTRACE_SETSIGMASK, record[i].tid, sizeof all, &all);
        ptrace(PTRACE_SETREGS, record[i].tid, NULL, &record[i].start);
    }
    remote_resend(&remote);
    tasks_detach_all(&tasks);
}

/* Before its threads stood still the process may have been on its way into another program, and shown the memory of
 * neither. A thread in execve stops only when it has the new one. */
static void look_again(struct auxv *auxv)
{
    target_open(&target, target.pid);
    target_check_program(&target);
    auxv->words = read_auxv(auxv->word, ARRAY_LEN(auxv->word));
    if (!auxv->words)
        fail("process %d cannot be attached to: its auxiliary vector cannot be read", target.pid);
    if (!remote_find_syscall(target.vdso))
        fail("process %d cannot be attached to: it has no vdso", target.pid);
}

int attach_main(int pid)
{
    static struct auxv auxv;
    static const u64 all = ~0ul;
    sigset_t set;
    sigfillset(&set);
    pin_lead = "Could not attach to process: ";
    target_open(&target, pid);
    target_check(&target);
    sigprocmask(SIG_SETMASK, &set, NULL);
    int err = tasks_seize(&tasks, pid, PTRACE_O_TRACESYSGOOD);
    if (err)
        target_refused(&target, err);
    take_threads();
    look_again(&auxv);
    rollback_note(&before, tasks.task[0].tid);
    remote = (struct remote){.pid = tasks.task[0].tid, .regs = before.regs[0],
        .syscall_pc = remote_find_syscall(target.vdso), .give_up = give_up};
    remote.regs.orig_rax = (u64)-1;
    ptrace(PTRACE_SETSIGMASK, remote.pid, sizeof all, &all);
    host_lift_limits(pid);
    set_boot(&auxv);
    rollback_note_actions(&before, &remote);
    remote_load_host(&remote, NULL, &layout, &auxv, false);
    loaded = true;
    target.boot = layout.block;
    rollback_set_action(&before, &remote, SIGTRAP, layout.stack_lo);
    make_agent();
    run_agent();
    let_go();
    return 0;
}

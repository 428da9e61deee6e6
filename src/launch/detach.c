/* SPDX-License-Identifier: Apache-2.0
 * linchpin detach PID: takes the engine out of a process (docs/design/attach.md, N7 to N12). All threads are traced
 * from the start; the engine's agent inside does what needs the engine, step by step, and this side does what only a
 * tracer can: look at threads that wait in the kernel without waking them, end host threads, unmap the engine from
 * under all of them, and set all registers at once. All signals are blocked then: a ^C in the middle would leave the
 * process in pieces. A thread that is in a routine of the tool is waited for, up to a limit; then all goes on as
 * before. */
#include "launch/launch.h"
#include "launch/remote.h"
#include "launch/target.h"
#include "launch/tasks.h"
#include "launch/timeouts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)
#define TICK_US 20000
#define PATIENCE_SECONDS 5
#define XSAVE_SW_BYTES 464 /* of the legacy area: the kernel's */

enum stage { RUNS, ASKED, LATER, HALTED }; /* LATER: the thread is to be asked again */

static struct target target;
static struct tasks tasks;
static struct boot_control control;
static struct task *agent;
static struct boot_thread *record;
static u64 *gate;
static u32 limit_seconds;
static struct timespec limit;
/* What is waited for: nothing that takes time, threads that are in routines of the tool, the tool's detach and fini
 * functions. */
static enum { WAITS_FOR_NOTHING, WAITS_FOR_THREADS, WAITS_FOR_TOOL } waits;
static double patience;        /* seconds */
static struct timespec begun;  /* the waiting */
static bool asked, said;
static char where[sizeof control.why]; /* what the thread has said */
static volatile int wants_end; /* a signal for us: the user has had enough */

static void gone(void) NORETURN;
static void gone(void)
{
    if (target_may_end)
        _exit(0);
    die(1, "process %d ended before it was detached from", target.pid);
}

static void failed(const char *what) NORETURN;
static void failed(const char *what)
{
    die(1, "process %d cannot be detached from: %s: %s", target.pid, what, strerror(errno));
}

static void *fetch(u64 from, u64 bytes)
{
    void *to = host_map_own(bytes ? bytes : 1);
    if (bytes && !target_read(&target, from, to, bytes))
        failed("its memory cannot be read");
    return to;
}

static void write_request(u32 request)
{
    if (!target_write(&target, target.boot + offsetof(struct boot_info, control.request), &request, sizeof request))
        failed("its memory cannot be written");
}

/* What a thread has said to an earlier question. */
static void forget_answer(void)
{
    static const s32 nobody;
    target_write(&target, target.boot + offsetof(struct boot_info, control.answered), &nobody, sizeof nobody);
    where[0] = 0;
}

static void give_up(void) NORETURN;
static void give_up(void)
{
    char how_long[64];
    u32 n = 0;
    base_format(how_long, sizeof how_long, wants_end ? "before it was interrupted" : "in %u seconds", limit_seconds);
    for (u32 i = 0; i < tasks.n; i++) {
        const struct task *task = &tasks.task[i];
        n += record && !task->host && !task->gone && task->stage != HALTED;
    }
    tasks_detach_all(&tasks);
    if (n)
        die(1,
            "process %d was not detached from: %u of its threads did not come out of the tool's routines %s%s%s; it "
            "goes on under Linchpin (linchpin detach PID SECONDS waits longer)",
            target.pid, n, how_long, where[0] ? ", one is in " : "", where);
    die(1,
        "process %d was not detached from: the engine in it did not answer %s, a routine of the tool may hold it up; "
        "it goes on under Linchpin (linchpin detach PID SECONDS waits longer)",
        target.pid, how_long);
}

/* --- patience (N15) ----------------------------------------------------------------------------------------------- */

static void tick(int sig)
{
    tasks_interrupted = sig;
    if (sig != SIGALRM)
        wants_end = sig;
}

static void start_waiting(int for_what)
{
    waits = for_what;
    asked = said = false;
    clock_gettime(CLOCK_MONOTONIC, &begun);
}

/* The timer ticks again and again, because a single tick that comes just before the wait would be missed, and
 * because some threads are to be asked again. */
static void set_limit(void)
{
    static const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGHUP};
    struct sigaction act = {.sa_handler = tick};
    struct itimerval timer = {{0, TICK_US}, {0, TICK_US}};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        sigdelset(&all, signals[i]);
        sigaction(signals[i], &act, NULL);
    }
    sigprocmask(SIG_SETMASK, &all, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    start_waiting(WAITS_FOR_THREADS);
    limit = begun;
    limit.tv_sec += limit_seconds;
    patience = limit_seconds < 2 * PATIENCE_SECONDS ? limit_seconds / 2.0 : PATIENCE_SECONDS;
}

static void end_limit(void)
{
    static const struct itimerval none;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setitimer(ITIMER_REAL, &none, NULL);
    waits = WAITS_FOR_NOTHING;
}

static void send(pid_t tid, int code)
{
    siginfo_t info = {.si_signo = (int)control.poke_signal, .si_code = code};
    syscall(SYS_rt_tgsigqueueinfo, target.pid, tid, info.si_signo, &info);
}

/* A thread that is waited for, the agent while the tool's functions run, is asked where in the tool it is. */
static void ask_where(void)
{
    asked = true;
    if (waits == WAITS_FOR_TOOL)
        send(agent->tid, control.ask_code);
    for (u32 i = 0; record && waits == WAITS_FOR_THREADS && i < tasks.n; i++)
        if (!tasks.task[i].host && !tasks.task[i].gone && tasks.task[i].stage != HALTED) {
            send(tasks.task[i].tid, control.ask_code);
            return;
        }
}

static void say_where(void)
{
    struct boot_control now;
    if (!target_read_control(&target, &now) || !now.answered)
        return;
    said = true;
    memcpy(where, now.why, sizeof where);
    if (waits == WAITS_FOR_TOOL)
        msg("process %d: the tool takes long to leave: it is in %s. The program stands still until that returns; "
            "Ctrl-C goes on without it, and what the tool has not written is lost", target.pid, where);
    else
        msg("process %d: thread %d does not come out of the tool: it is in %s. Waiting for it, up to %u seconds; "
            "Ctrl-C gives up, and the program goes on under Linchpin", target.pid, now.answered, where, limit_seconds);
}

static void ticked(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (waits == WAITS_FOR_THREADS && (wants_end || now.tv_sec >= limit.tv_sec))
        give_up();
    if (waits == WAITS_FOR_TOOL && wants_end)
        send(agent->tid, control.abandon_code);
    wants_end = 0;
    double passed = (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) / 1e9;
    if (waits && !asked && passed >= patience)
        ask_where();
    else if (waits && asked && !said)
        say_where();
    for (u32 i = 0; i < tasks.n; i++)
        if (tasks.task[i].stage == LATER) {
            tasks.task[i].stage = ASKED;
            tasks_interrupt(&tasks.task[i]);
        }
}

/* Deals with an event that changes nothing here: the thread goes on. */
static void pass(struct task_event *e)
{
    if (e->kind == EVENT_INTERRUPTED)
        ticked();
    if (e->kind == EVENT_ALL_GONE || (e->kind == EVENT_GONE && e->task == agent))
        gone();
    if (e->kind == EVENT_EXEC) {
        tasks_detach_all(&tasks);
        die(1, "process %d has executed another program", target.pid);
    }
    tasks_pass(&tasks, e);
}

/* --- the agent's steps -------------------------------------------------------------------------------------------- */

/* Lets the agent run to its next stop; the others go on meanwhile. Those that halt stay where they are. */
static void agent_step(enum boot_state want)
{
    struct task_event e;
    for (;;) {
        tasks_next(&tasks, control.trap_pc, &e);
        if (e.kind == EVENT_TRAP && e.task == agent)
            break;
        if (e.kind == EVENT_TRAP)
            e.task->stage = HALTED;
        else
            pass(&e);
    }
    if (!target_read_control(&target, &control))
        failed("its memory cannot be read");
    if (control.state == BOOT_REFUSED) {
        tasks_detach_all(&tasks);
        die(1, "process %d cannot be detached from: %s", target.pid, control.why);
    }
    if (control.state != (u32)want)
        die(1, "process %d cannot be detached from: the engine in it is in state %u, not %u", target.pid, control.state,
            want);
}

static void ask_agent(void)
{
    struct task_event e;
    tasks_interrupt(agent);
    for (;;) {
        tasks_next(&tasks, control.trap_pc, &e);
        if (e.kind == EVENT_STOP && e.task == agent)
            break;
        if (e.kind == EVENT_TRAP && e.task == agent) { /* still from an earlier detach, which was given up */
            tasks_continue(agent, PTRACE_CONT, 0);
            tasks_interrupt(agent);
        } else if (e.kind == EVENT_TRAP) {
            e.task->stage = HALTED; /* the thread has halted, as it is */
        } else {
            pass(&e);
        }
    }
    write_request(BOOT_LEAVE);
    tasks_continue(agent, PTRACE_CONT, 0);
    agent_step(BOOT_LEAVING);
}

static void agent_goes_on(enum boot_state want)
{
    tasks_continue(agent, PTRACE_CONT, 0);
    agent_step(want);
}

/* --- guest threads halt (N9)
 * ------------------------------------------------------------------------------------------ */

static bool in_gate(u64 pc)
{
    for (u32 i = 0; i < control.ngates; i++)
        if (gate[i] == pc)
            return true;
    return false;
}

static bool is_set(u64 address)
{
    u64 word = 0;
    return !target_read(&target, address, &word, sizeof word) || word;
}

static void poke(struct task *task)
{
    send(task->tid, control.poke_code);
    tasks_continue(task, PTRACE_CONT, 0);
}

/* The thread was stopped wherever it was. In a system call of the guest's it can stay; anywhere else it is told to
 * go to the dispatcher. */
static void look_at(struct task *task)
{
    struct boot_thread *r = &record[task->index];
    struct iovec xstate = {r->xstate, sizeof r->xstate};
    if (ptrace(PTRACE_GETREGS, task->tid, NULL, &r->regs) || tasks_signal_first(&tasks, task, &r->regs))
        return;
    bool waits = tasks_call_interrupted(&r->regs) && in_gate(r->regs.rip);
    /* Either the thread has come by itself and its trap is next: a poke would still be pending when the engine is
     * gone. Or it will come when the guest function that the tool has called returns (vm/call.c): its call is made
     * again, which the kernel does itself but where it answers EINTR. */
    if (r->regs.rip == control.trap_pc || (waits && is_set(r->busy))) {
        if (waits && r->regs.rax == (u64)-EINTR) {
            tasks_restart(&r->regs);
            ptrace(PTRACE_SETREGS, task->tid, NULL, &r->regs);
        }
        tasks_continue(task, PTRACE_CONT, 0);
        return;
    }
    if (!waits && is_set(r->fragile)) {
        task->stage = LATER;
        tasks_continue(task, PTRACE_CONT, 0);
        return;
    }
    if (!waits) {
        poke(task);
        return;
    }
    if (ptrace(PTRACE_GETREGSET, task->tid, NT_X86_XSTATE, &xstate))
        failed("a thread's registers cannot be read");
    r->xstate_bytes = xstate.iov_len;
    r->how = BOOT_IN_CALL;
    r->timeout.nr = 0;
    timeouts_left(task, &r->regs, &r->timeout);
    task->stage = HALTED;
}

static u32 unsettled(void)
{
    u32 n = 0;
    for (u32 i = 0; i < tasks.n; i++)
        n += !tasks.task[i].host && !tasks.task[i].gone && tasks.task[i].stage != HALTED;
    return n;
}

static void ask_threads(void)
{
    for (u32 i = 0; i < tasks.n; i++)
        tasks.task[i].host = true;
    tasks.new_are_host = true; /* from now on the guest makes no threads */
    for (u32 i = 0; i < control.nthreads; i++) {
        struct task *task = tasks_find(&tasks, record[i].tid);
        if (!task)
            continue; /* it has ended */
        task->host = false;
        task->index = i;
        if (task->stage != HALTED) {
            task->stage = ASKED;
            tasks_interrupt(task);
        }
    }
}

static void settle_threads(void)
{
    struct task_event e;
    ask_threads();
    while (unsettled()) {
        tasks_next(&tasks, control.trap_pc, &e);
        if (e.kind == EVENT_TRAP)
            e.task->stage = HALTED;
        else if (e.kind == EVENT_STOP && e.task->stage == ASKED)
            look_at(e.task);
        else
            pass(&e);
    }
    for (u32 i = 0; i < control.nthreads; i++) {
        const struct task *task = tasks_find(&tasks, record[i].tid);
        if (!task)
            record[i].how = BOOT_GONE;
        else if (record[i].how == BOOT_RUNS)
            record[i].how = BOOT_HALTS;
        if (task)
            target.live = task->tid; /* the other threads will end */
    }
    if (!target_write(&target, control.threads, record, control.nthreads * sizeof *record))
        failed("its memory cannot be written");
}

/* --- the host goes ------------------------------------------------------------------------------------------------ */

/* In the engine's handler no host thread holds the lock of the host's memory (agent.c), so all of them are brought
 * there. */
static void end_host_threads(u64 syscall_pc)
{
    struct task_event e;
    u32 left = 0;
    for (u32 i = 0; i < tasks.n; i++)
        if (tasks.task[i].host && &tasks.task[i] != agent && !tasks.task[i].gone) {
            send(tasks.task[i].tid, control.poke_code);
            left++;
        }
    while (left) {
        tasks_next(&tasks, control.trap_pc, &e);
        bool host = e.task && e.task->host && e.task != agent;
        if (e.kind == EVENT_TRAP && host)
            tasks_end_thread(&tasks, e.task, syscall_pc);
        else if (e.kind != EVENT_GONE || !host)
            pass(&e);
        left -= host && e.task->gone;
    }
}

static void remote_for(struct remote *r, const struct task *task, u64 syscall_pc)
{
    static const u64 all = ~0ul;
    *r = (struct remote){.pid = task->tid, .syscall_pc = syscall_pc, .give_up = gone};
    ptrace(PTRACE_SETSIGMASK, task->tid, sizeof all, &all);
    if (ptrace(PTRACE_GETREGS, task->tid, NULL, &r->regs))
        failed("a thread's registers cannot be read");
    r->regs.rsp = record[task->index].regs.rsp; /* not on the engine's signal stack, which is about to go */
}

/* Puts back what the kernel keeps for the thread. */
static void give_kernel_state(struct remote *r, const struct boot_thread *rec, u64 at)
{
    u64 alt[6] = {at + offsetof(struct boot_thread, alt_sp), 0}, tid[6] = {rec->clear_tid};
    remote_syscall(r, SYS_sigaltstack, alt);
    remote_syscall(r, SYS_set_tid_address, tid);
}

static void give_registers(const struct task *task, const struct boot_thread *rec)
{
    static u8 *image;
    image = image ? image : host_map_own(BOOT_XSTATE_BYTES);
    struct user_regs_struct regs;
    struct iovec xstate = {image, BOOT_XSTATE_BYTES};
    if (ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) || ptrace(PTRACE_GETREGSET, task->tid, NT_X86_XSTATE, &xstate))
        failed("a thread's registers cannot be read");
    struct user_regs_struct now = rec->regs;
    timeouts_shorten(&now, &rec->timeout);
    now.cs = regs.cs;
    now.ss = regs.ss;
    now.ds = regs.ds;
    now.es = regs.es;
    now.fs = regs.fs;
    now.gs = regs.gs;
    if (rec->xstate_bytes) {
        u64 n = rec->xstate_bytes < xstate.iov_len ? rec->xstate_bytes : xstate.iov_len;
        memcpy(image, rec->xstate, XSAVE_SW_BYTES);
        memcpy(image + 512, rec->xstate + 512, n - 512);
        if (ptrace(PTRACE_SETREGSET, task->tid, NT_X86_XSTATE, &xstate))
            failed("a thread's extended state cannot be set");
    }
    if (ptrace(PTRACE_SETREGS, task->tid, NULL, &now) ||
        ptrace(PTRACE_SETSIGMASK, task->tid, sizeof rec->sigmask, &rec->sigmask))
        failed("a thread's registers cannot be set");
}

/* N14. This is the last system call that is made for the thread: the kernel would catch the next. */
static void give_dispatch(const struct task *task, const struct boot_thread *rec, u64 syscall_pc)
{
    const struct boot_dispatch *d = &rec->dispatch;
    u64 arg[6] = {PR_SET_SYSCALL_USER_DISPATCH, d->mode, d->start, d->bytes, d->selector};
    struct remote r;
    if (!d->mode)
        return;
    remote_for(&r, task, syscall_pc);
    remote_syscall(&r, SYS_prctl, arg);
    remote_resend(&r);
}

/* From here on every guest thread stands still, and every other thread has ended. */
static void take_out(u64 syscall_pc)
{
    struct remote r;
    const struct boot_range *range = fetch(control.ranges, control.nranges * sizeof *range);
    struct task *last = NULL;
    for (u32 i = 0; i < tasks.n; i++) {
        struct task *task = &tasks.task[i];
        if (task->gone || task->host)
            continue;
        remote_for(&r, task, syscall_pc);
        give_kernel_state(&r, &record[task->index], control.threads + task->index * sizeof *record);
        last = task;
    }
    if (!last)
        gone();
    u64 nobody[6] = {PR_SET_PTRACER, 0};
    remote_for(&r, last, syscall_pc);
    if (control.allowed)
        remote_syscall(&r, SYS_prctl, nobody);
    for (u32 i = 0; i < control.nranges; i++) {
        u64 unmap[6] = {range[i].start, range[i].end - range[i].start};
        remote_syscall(&r, SYS_munmap, unmap);
    }
    remote_resend(&r);
    for (u32 i = 0; i < tasks.n; i++)
        if (!tasks.task[i].gone && !tasks.task[i].host) {
            give_dispatch(&tasks.task[i], &record[tasks.task[i].index], syscall_pc);
            give_registers(&tasks.task[i], &record[tasks.task[i].index]);
        }
    for (u32 i = 0; i < tasks.n; i++) { /* all others stand still meanwhile */
        const struct boot_thread *rec = &record[tasks.task[i].index];
        if (!tasks.task[i].gone && !tasks.task[i].host && rec->timeout.nr && !rec->timeout.ms)
            timeouts_go_on(&tasks, &tasks.task[i], &rec->timeout, rec->sigmask);
    }
    tasks_detach_all(&tasks);
}

/* Probe mode: the engine does it by itself, and has threads stopped where that is needed (N17). */
static void detach_native(void)
{
    dump_ask(&target, BOOT_LEAVE, &control);
    if (control.state == BOOT_REFUSED)
        die(1, "process %d cannot be detached from: %s", target.pid, control.why);
}

int detach_main(int argc, char **argv)
{
    pid_t pid = options_pid("detach", argc == 1 || argc == 2 ? argv[0] : "");
    target_may_end = argc == 2 && strcmp(argv[1], "own") == 0;
    limit_seconds = argc == 2 && !target_may_end ? options_seconds("detach", argv[1]) : DETACH_SECONDS;
    need_proc();
    target_open(&target, pid);
    if (!target.boot) {
        target_check_ended(&target);
        die(1, "process %d does not run under Linchpin", pid);
    }
    if (!target_read_control(&target, &control))
        target_refused(&target, errno);
    if (control.left && !control.agent)
        die(1, "process %d cannot be detached from: the tool has left it already", pid);
    if (!control.agent && !control.native)
        die(1,
            "process %d was launched under Linchpin: it can be detached from by its tool (PIN_Detach), or from here if "
            "the tool has a results or a detach function (lp_add_results_function, PIN_AddDetachFunction)",
            pid);
    if (control.native) {
        detach_native();
        return 0;
    }
    forget_answer();
    set_limit();
    int err = tasks_seize(&tasks, pid, OPTIONS);
    if (err)
        target_refused(&target, err);
    agent = tasks_find(&tasks, control.agent);
    u64 syscall_pc = remote_find_syscall(target.vdso);
    if (!agent || !syscall_pc)
        die(1, "process %d cannot be detached from: %s", pid,
            agent ? "it has no vdso" : "the engine's thread in it has ended");
    ask_agent();
    record = fetch(control.threads, control.nthreads * sizeof *record);
    gate = fetch(control.gates, control.ngates * sizeof *gate);
    settle_threads();
    start_waiting(WAITS_FOR_TOOL);
    forget_answer();
    write_request(BOOT_GO_ON);
    agent_goes_on(BOOT_TOOL_DONE);
    end_limit();
    end_host_threads(syscall_pc);
    agent_goes_on(BOOT_LEFT);
    record = fetch(control.threads, control.nthreads * sizeof *record);
    tasks_end_thread(&tasks, agent, syscall_pc);
    take_out(syscall_pc);
    return 0;
}

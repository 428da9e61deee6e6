/* SPDX-License-Identifier: Apache-2.0
 * The agent's side of a detach (docs/design/attach.md, N7 to N12). The agent sleeps until the launcher, which traces
 * all threads by then, sets control.request. Then it does one step after the other, and stops in arch_trap after
 * each, so that the launcher can do its part. After BOOT_TOOL_DONE no other host thread is left, and one of them may
 * have been ended inside any lock but hostmem's: from there on nothing here takes a lock. Rule N13. */
#include "os/linux/agent.h"

#include "arch/arch.h"
#include "os/os.h"
#include "os/gmap.h"
#include "os/native.h"
#include "os/linux/hostfd.h"
#include "os/linux/hosttask.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/linux/limits.h"
#include "os/linux/mdwe.h"
#include "os/events.h"
#include "os/linux/os_init.h"
#include "os/linux/rseq.h"
#include "os/linux/signal_private.h"
#include "os/linux/sys.h"
#include "os/linux/clone.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define REQUEST_CALL 2u         /* of control.request: the tool wants to detach */
#define REQUEST_END 5u          /* the agent ends: the program wants to be alone */
#define SPAWN_STACK_BYTES (32ul << 10)
#define LOOK_NS 50000000        /* probe mode: so often the agent looks whether there is a request */
#define RANGES_SLACK 64u        /* host ranges that may come up between counting and listing */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

static struct boot_thread *records;
static size_t records_bytes, gates_bytes;
static bool forked FORK_WRITES; /* this process is a fork of an attached one, whose agent is in the other process */

static struct boot_control *control(void) { return (struct boot_control *)&os_boot->control; }

static void stop_at(enum boot_state state)
{
    __atomic_store_n(&control()->state, state, __ATOMIC_SEQ_CST);
    arch_trap();
}

/* --- threads that halt
 * ------------------------------------------------------------------------------------------------ */

void agent_halt(void)
{
    signal_block_all();
    if (signal_slot_full())
        return;
    vm_tc.vm.pause_tls = arch_tls_base();
    while (__atomic_load_n(&os_detaching, __ATOMIC_SEQ_CST))
        arch_trap();
    signal_set_attention(); /* the detach was given up: the mask is to be opened again */
}

void agent_halt_for_good(void)
{
    for (;;)
        arch_trap();
}

/* --- BOOT_LEAVING ------------------------------------------------------------------------------------------------- */

static void *need(void *p)
{
    if (!p)
        hostmem_die("detaching");
    return p;
}

static const char *reason_to_stay(void)
{
    const char *why = arch_narrow ? "it is an IA-32 program, which the engine does not leave" : NULL;
    thread_list_lock();
    for (const struct thread *t = thread_first(); t; t = t->next) {
        if (t->os.foreign_mm)
            why = "another process shares the program's memory (clone with CLONE_VM)";
        else if (t->os.seccomp_strict || t->os.seccomp_filters)
            why = "the program has restricted its system calls by seccomp";
    }
    thread_list_unlock();
    return why;
}

static void list_gates(void)
{
    control()->gates = (u64)need(os_events.gates((u64)host_gate_after, &control()->ngates, &gates_bytes));
}

/* Holds up threads that are not in the list yet: none of them gets into the cache or makes another thread. */
static void list_threads(void)
{
    u32 n = 0;
    records_bytes = PAGE_UP((thread_count() + 1) * sizeof *records);
    records = need(hostmem_map(records_bytes, PROT_READ | PROT_WRITE));
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next)
        records[n++] = (struct boot_thread){.tid = t->os.tid, .how = BOOT_RUNS, .context = (u64)t,
            .busy = (u64)&t->vm.calls.top, .fragile = (u64)&t->os.restarts};
    thread_list_unlock();
    control()->threads = (u64)records;
    control()->nthreads = n;
}

static bool begin(void)
{
    process_hold_new(true);
    const char *why = reason_to_stay();
    if (why) {
        process_hold_new(false);
        base_format(control()->why, sizeof control()->why, "%s", why);
        stop_at(BOOT_REFUSED);
        control()->state = BOOT_UP;
        return false;
    }
    os_events.stop_all(true);
    list_gates();
    list_threads();
    stop_at(BOOT_LEAVING);
    return true;
}

/* The launcher did not wait any longer for a thread that is in a routine of the tool, and has gone: everything goes
 * on as before. */
static void go_back(void)
{
    os_events.stop_all(false);
    process_hold_new(false);
    hostmem_unmap(records, records_bytes);
    hostmem_unmap((void *)control()->gates, gates_bytes);
    control()->state = BOOT_UP;
}

/* --- the guest's state -------------------------------------------------------------------------------------------- */

/* The thread was stopped in a gate, in a system call: its state is the one before that call, which it makes again. */
static void take_from_gate(struct thread *t, const struct boot_thread *rec)
{
    u64 nr;
    t->vm.pause_tls = boot_tls_in_cache(rec);
    if (os_events.in_gate(boot_thread_pc(rec))) {
        boot_load_thread(&t->cpu, rec);
        os_events.recover(&t->cpu);
        nr = boot_thread_call(rec);
    } else {
        nr = *arch_syscall_word(&t->cpu, WORD_NUMBER);
    }
    arch_restart_syscall(&t->cpu, boot_call_restarts(rec) ? SYS_restart_syscall : nr);
    if (t->os.waits_masked)
        t->os.guest_mask = t->os.outer_mask;
}

static void take_states(void)
{
    for (u32 i = 0; i < control()->nthreads; i++)
        if (records[i].how == BOOT_IN_CALL)
            take_from_gate((struct thread *)records[i].context, &records[i]);
        else if (records[i].how != BOOT_GONE)
            adopt_give_timeout((struct thread *)records[i].context, &records[i].timeout);
}

static void give_state(struct boot_thread *rec, struct thread *t)
{
    const struct os_thread *os = &t->os;
    rseq_interrupt(t);
    /* The hardware's extended state is the guest's. */
    bool hardware = rec->how == BOOT_IN_CALL && os_events.in_gate(boot_thread_pc(rec));
    boot_save_thread(rec, &t->cpu, t->vm.pause_tls, !hardware);
    rec->sigmask = os->mask_saved ? os->saved_mask : os->guest_mask;
    rec->alt_sp = os->alt_sp;
    rec->alt_bytes = os->alt_bytes;
    rec->alt_flags = (os->alt_flags & SS_AUTODISARM) | (os->alt_bytes ? 0 : (u32)SS_DISABLE);
    rec->clear_tid = os->clear_tid;
    rec->dispatch = os->dispatch;
}

/* Pages that the guest may only execute lose the right to be read, which they had for the engine (sys_mem.c), and no
 * page stays write-protected. */
void agent_give_protections(void)
{
    struct gmap_area a;
    os_events.unprotect_all();
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        if ((a.flags & (GMAP_READ | GMAP_WRITE | GMAP_EXEC)) == GMAP_EXEC && !(a.flags & GMAP_VSYSCALL))
            mprotect((void *)a.start, a.end - a.start, PROT_EXEC);
}

/* --- BOOT_LEFT ---------------------------------------------------------------------------------------------------- */

/* Memory that libc has unmapped by itself (stacks of ended threads) may have become the guest's. */
static void keep_guest_memory(void)
{
    struct gmap_area a;
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        if (hostmem_overlaps(a.start, a.end))
            hostmem_forget(a.start, a.end);
}

static u32 count_ranges(void)
{
    u32 n = 0;
    u64 start, end = 0;
    while (hostmem_next(end, &start, &end))
        n++;
    return n;
}

static void list_ranges(struct boot_range *range, u32 room)
{
    u32 n = 0;
    u64 start, end = 0;
    while (n < room && hostmem_next(end, &start, &end))
        range[n++] = (struct boot_range){start, end};
    control()->ranges = (u64)range;
    control()->nranges = n;
}

/* The tool's functions run, all of them or until the user has had enough. */
static sigjmp_buf out_of_tool;
static bool in_tool, abandoned;

static void tool_leaves(void)
{
    abandoned = false;
    if (!os_events.tool_leaves)
        return;
    if (sigsetjmp(out_of_tool, 1) == 0) {
        in_tool = true;
        os_events.tool_leaves();
    } else {
        abandoned = true;
    }
    in_tool = false;
}

void agent_abandon_tool(void)
{
    if (in_tool && gettid() == control()->agent)
        siglongjmp(out_of_tool, 1);
}

/* Does everything from the launcher's request to the end of the process' life with the engine. */
static void leave(void)
{
    if (!begin())
        return;
    u32 want = BOOT_GO_ON;
    if (!__atomic_compare_exchange_n(&control()->request, &want, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        go_back(); /* another launcher may have asked already */
        return;
    }
    take_states();
    tool_leaves();
    if (os_events.leave)
        os_events.leave();
    for (u32 i = 0; i < control()->nthreads; i++)
        if (records[i].how != BOOT_GONE)
            give_state(&records[i], (struct thread *)records[i].context);
    agent_give_protections();
    keep_guest_memory();
    u32 room = count_ranges() + RANGES_SLACK;
    struct boot_range *range = need(hostmem_map(room * sizeof *range, PROT_READ | PROT_WRITE));
    if (!abandoned) /* else this thread may have it */
        hostfd_lock(); /* HF1: no thread that is ended has a descriptor on its way up */
    stop_at(BOOT_TOOL_DONE);
    list_ranges(range, room);
    hostfd_close_all();
    limits_leave();
    mdwe_leave();
    signal_leave();
    stop_at(BOOT_LEFT);
}

/* --- calling the launcher ----------------------------------------------------------------------------------------- */

struct spawn {
    const char *argv[6];
    u8 *stack; /* two of SPAWN_STACK_BYTES */
};
extern char **environ;

static s64 clone_here(u8 *stack, void (*child)(void *), struct spawn *s)
{
    struct clone_call c = {.nr = SYS_clone, .args = {CLONE_VM | CLONE_VFORK, (u64)stack + SPAWN_STACK_BYTES - 64},
        .child = child, .arg = s};
    return clone_on_stack(&c);
}

/* Closes the program's descriptors, which are not for the launcher, but for 0 to 2, which its messages go to. */
static void spawn_grandchild(void *arg)
{
    const struct spawn *s = arg;
    arch_raw_syscall(SYS_close_range, 3, ~0u, 0, 0, 0, 0);
    arch_raw_syscall(SYS_setsid, 0, 0, 0, 0, 0, 0); /* a Ctrl-C is the program's */
    arch_raw_syscall(SYS_execve, (u64)s->argv[0], (u64)s->argv, (u64)environ, 0, 0, 0);
    arch_raw_syscall(SYS_exit, 127, 0, 0, 0, 0, 0);
}

static void spawn_child(void *arg)
{
    struct spawn *s = arg;
    s64 r = clone_here(s->stack, spawn_grandchild, s);
    arch_raw_syscall(SYS_exit, r < 0, 0, 0, 0, 0, 0);
}

/* For yama; other kernels do not know the call. */
static void allow_tracer(void)
{
    control()->allowed = arch_raw_syscall(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0, 0) == 0;
}

/* Probe mode: the launcher changes code while all threads stand still. The calling thread waits for it; it has no
 * signal at its end, so that the program does not notice it. */
bool agent_patch(const struct boot_patches *list)
{
    char pid[16], tid[16], where[24];
    int status = 0;
    base_format(pid, sizeof pid, "%d", getpid());
    base_format(tid, sizeof tid, "%d", (int)gettid());
    base_format(where, sizeof where, "%lx", (u64)list);
    struct spawn s = {{os_launcher_path(), "patch", pid, tid, where, NULL},
        need(hostmem_map(SPAWN_STACK_BYTES, PROT_READ | PROT_WRITE))};
    allow_tracer();
    s64 child = clone_here(s.stack, spawn_grandchild, &s);
    while (child > 0 && arch_raw_syscall(SYS_wait4, (u64)child, (u64)&status, __WALL, 0, 0, 0) == -EINTR)
        ;
    if (control()->allowed)
        arch_raw_syscall(SYS_prctl, PR_SET_PTRACER, 0, 0, 0, 0, 0);
    hostmem_unmap(s.stack, SPAWN_STACK_BYTES);
    return __atomic_load_n(&list->done, __ATOMIC_ACQUIRE);
}

/* The launcher is started as a grandchild, and without a signal at its end, so that the program never notices it. */
static void call_launcher(void)
{
    char pid[16];
    int status = 0;
    base_format(pid, sizeof pid, "%d", getpid());
    struct spawn s = {{os_launcher_path(), "detach", pid, "own", NULL},
        need(hostmem_map(2 * SPAWN_STACK_BYTES, PROT_READ | PROT_WRITE))};
    allow_tracer();
    s64 child = clone_here(s.stack + SPAWN_STACK_BYTES, spawn_child, &s);
    if (child > 0)
        arch_raw_syscall(SYS_wait4, (u64)child, (u64)&status, __WALL, 0, 0, 0);
    if (child < 0 || status)
        msg("cannot detach: %s cannot be run (error %ld)", os_launcher_path(), child < 0 ? -child : 0);
    hostmem_unmap(s.stack, 2 * SPAWN_STACK_BYTES);
}

/* --- its life ----------------------------------------------------------------------------------------------------- */

/* The launcher waits until `served` has grown. why: it was not done. */
static void answer(const char *why)
{
    base_format(control()->why, sizeof control()->why, "%s", why ? why : "");
    control()->state = why ? BOOT_REFUSED : BOOT_UP;
    __atomic_add_fetch(&control()->served, 1, __ATOMIC_SEQ_CST);
}

static void dump(void)
{
    if (os_events.results_wanted)
        os_events.results_wanted();
    answer(os_events.results_wanted ? NULL : "its tool has no results to give on request (lp_add_results_function)");
}

/* The engine stays in memory. Another one that comes has to know what that is. */
static void tell_ranges(void)
{
    u32 room = count_ranges() + RANGES_SLACK;
    struct boot_range *range = hostmem_map(room * sizeof *range, PROT_READ | PROT_WRITE);
    if (range)
        list_ranges(range, room);
}

static void leave_native(void)
{
    const char *why = os_events.native_leaves();
    if (!why) {
        tell_ranges();
        control()->left = true;
        __atomic_store_n(&control()->agent, 0, __ATOMIC_SEQ_CST); /* before the answer: nobody asks any more */
    }
    answer(why);
}

void agent_by_errand(u64 errand)
{
    control()->native = true;
    __atomic_store_n(&control()->errand, errand, __ATOMIC_SEQ_CST);
}

void agent_errand(const char *why_not)
{
    u32 want = __atomic_exchange_n(&control()->request, 0, __ATOMIC_SEQ_CST);
    if (want && why_not)
        answer(why_not);
    else if (want == BOOT_DUMP)
        dump();
    else if (want)
        leave_native();
}

static u64 now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

/* Sleeps until there is a request; where somebody wants to hear of the time that passes, until he is due. */
static void rest(u32 *request)
{
    static u64 due; /* 0: not known yet */
    if (os_native) {
        hostlock_futex_until(request, 0, &(struct timespec){0, LOOK_NS});
        return;
    }
    if (!os_events.tick) {
        hostlock_futex(request, FUTEX_WAIT, 0);
        return;
    }
    u64 ms = now_ms();
    if (due && due <= ms)
        os_events.tick();
    if (!due || due <= ms)
        due = (ms = now_ms()) + os_events.tick_seconds * 1000ul;
    u64 left = due - ms;
    hostlock_futex_until(request, 0, &(struct timespec){(time_t)(left / 1000), (long)(left % 1000) * 1000000});
}

/* Comes back when the agent is to end. */
static void serve(void)
{
    u32 *request = &control()->request;
    for (;;) {
        u32 want = __atomic_exchange_n(request, 0, __ATOMIC_SEQ_CST);
        if (want == REQUEST_CALL)
            call_launcher();
        else if (want == REQUEST_END)
            return;
        else if (want == BOOT_DUMP)
            dump();
        else if (want && os_native)
            leave_native();
        else if (want)
            leave();
        else if (os_native && control()->left)
            return;
        else
            rest(request);
    }
}

static void introduce(void)
{
    control()->trap_pc = (u64)arch_trap_after;
    control()->poke_signal = POKE_SIGNAL;
    control()->poke_code = POKE_CODE;
    control()->ask_code = ASK_CODE;
    control()->abandon_code = ABANDON_CODE;
    control()->native = os_native;
    __atomic_store_n(&control()->agent, (s32)gettid(), __ATOMIC_SEQ_CST);
}

void agent_adopts(void)
{
    introduce();
    stop_at(BOOT_ADOPTS);
    os_messages_to_program();
}

/* The launcher lets go of the agent last. */
void agent_await_attach(void)
{
    u32 *state = &control()->state, now;
    while (adopt_count() && ((now = __atomic_load_n(state, __ATOMIC_SEQ_CST)) == BOOT_COMING_UP || now == BOOT_ADOPTS))
        hostlock_futex(state, FUTEX_WAIT, now);
}

void agent_be(void)
{
    introduce();
    u64 all = ~0ul;
    if (os_native) /* those of faults, too: handlers are the program's */
        arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, 0, sizeof all, 0, 0);
    hosttask_note((int)gettid());
    __atomic_store_n(&control()->state, BOOT_UP, __ATOMIC_SEQ_CST);
    hostlock_futex(&control()->state, FUTEX_WAKE, INT_MAX);
    do
        serve(); /* made by an attach, it stays: nobody asks it to end, but in probe mode, where the tool has left */
    while (!os_native);
    for (;;)
        arch_raw_syscall(SYS_exit, 0, 0, 0, 0, 0, 0);
}

static pthread_t own_thread; /* of a launched program */
static bool own;

static void *agent_main(void *arg)
{
    (void)arg;
    introduce();
    hosttask_note((int)gettid());
    control()->state = BOOT_UP;
    serve();
    __atomic_store_n(&control()->agent, 0, __ATOMIC_SEQ_CST);
    return NULL;
}

static bool started;

bool agent_start(void)
{
    static int in;
    if (control()->agent || (adopt_count() && !forked) ||
        (__atomic_exchange_n(&started, true, __ATOMIC_SEQ_CST) && in == getpid()))
        return true;
    in = getpid();
    own = !hosttask_create(&own_thread, NULL, agent_main, NULL);
    return own;
}

static void ask(u32 what)
{
    u32 none = 0;
    while (!__atomic_compare_exchange_n(&control()->request, &none, what, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        none = 0; /* it has something to do first */
        hostlock_futex_1ms(&control()->request, control()->request);
    }
    hostlock_futex(&control()->request, FUTEX_WAKE, 1);
}

/* The kernel counts a thread for a little longer than libc does. */
bool agent_rest(void)
{
    int tid = control()->agent;
    if (!own || !tid)
        return false;
    ask(REQUEST_END);
    pthread_join(own_thread, NULL);
    while (arch_raw_syscall(SYS_tgkill, (u64)getpid(), (u64)tid, 0, 0, 0, 0) == 0)
        arch_raw_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    hosttask_forget(tid);
    own = started = false;
    return true;
}

void agent_call_launcher(void)
{
    u32 none = 0;
    if (!agent_start()) {
        msg("cannot detach: no memory for a thread");
        return;
    }
    if (__atomic_compare_exchange_n(&control()->request, &none, REQUEST_CALL, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
        hostlock_futex(&control()->request, FUTEX_WAKE, 1);
}

void agent_after_fork(void)
{
    struct boot_control *c = control();
    if (c->agent || c->request) { /* else there was no agent, and the page is not copied for nothing */
        c->agent = 0;
        c->request = 0;
        c->state = BOOT_UP;
    }
    os_detaching = false;
    forked = true;
    own = false;
}

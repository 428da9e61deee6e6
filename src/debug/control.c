/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. Threads that wait for the debugger, and the debugger that stops and resumes them (DB1, DB4, DB6). A
 * thread with something to tell holds itself (pause.h) and rings; the debugger's thread stops the others, tells one
 * event, and lets go those that the answer names. Takes no lock: what both sides write is written while the thread
 * stands still. */
#include "debug/stub.h"

#include "arch/arch.h"
#include "context.h"
#include "jit/events.h"
#include "os/debugport.h"
#include "os/events.h"
#include "os/hostevent.h"
#include "vm/pause.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct debug_hooks debug_hooks;
bool control_running = true;
struct thread *control_current;

static int bell = -1;
static bool connected;         /* somebody is there whom events are told */
static struct hostevent connect_event;
static u64 tells;              /* events told so far */
static u64 pass_signals;       /* one bit each, signal 1 is bit 0 */
static bool stepped_gone;       /* a thread has ended in its step, of which the debugger waits to hear */
static bool eat_interrupt;     /* the terminal's SIGINT has come as the debugger's own request, too */

int control_bell(void) { return bell; }
bool debug_connected(void) { return __atomic_load_n(&connected, __ATOMIC_ACQUIRE); }
bool debug_wait_connected(u32 ms) { return hostevent_wait(&connect_event, ms); }

void control_ring(void) { debugport_ring(bell); }

static bool is_guest(void) { return !vm_tc.os.foreign_mm && (!vm_tc.os.vfork_child || vforks_followed()); }

/* --- on a guest thread -------------------------------------------------------------------------------------------- */

/* Returns when the debugger has let the thread go; its registers are then what the debugger has made of them. */
static void wait_for_debugger(enum debug_event e)
{
    struct debug_thread *d = &vm_tc.debug;
    d->told = false;
    __atomic_store_n(&d->event, e, __ATOMIC_RELEASE);
    pause_hold(&vm_tc, true);
    debugport_ring(bell);
    pause_point();
}

/* DB11. False: the debugger does not hear of it. */
static bool is_let_through(enum debug_intercept what)
{
    struct bridge_state s = {.kind = CONTEXT_COPY};
    if (!debug_hooks.intercept)
        return true;
    context_take(&s, &vm_tc.cpu);
    bool told = debug_hooks.intercept(what, vm_tc.id, &s);
    context_give(&vm_tc.cpu, &s);
    return told;
}

static bool breaks(gpc_t pc)
{
    bool skips = vm_tc.debug.skip == pc;
    vm_tc.debug.skip = 0;
    return debug_connected() && is_guest() && !skips;
}

/* DB5: stepped on within the range. */
static bool in_range(void)
{
    u64 pc = arch_pc(&vm_tc.cpu);
    return pc >= vm_tc.debug.range_start && pc < vm_tc.debug.range_end;
}

static void stop_at(enum debug_event e)
{
    if (is_let_through(e == EVENT_STEP ? INTERCEPT_STEP : INTERCEPT_BREAK))
        wait_for_debugger(e);
    else
        vm_tc.debug.skip = arch_pc(&vm_tc.cpu);
}

static void stop_at_watched(void)
{
    if (watch_stops())
        wait_for_debugger(EVENT_WATCH);
    else if (vm_tc.debug.watch_steps)
        stop_at(EVENT_STEP);
    else
        vm_tc.debug.event = EVENT_NONE;
}

static void stopped(void)
{
    enum jit_debug why = vm_tc.jit.debug;
    if (why == JIT_STEPPED && debug_connected() && in_range() && !pause_wanted_now()) {
        vm_tc.jit.debug = JIT_STEP;
        return;
    }
    vm_tc.jit.debug = JIT_FREE;
    if (why == JIT_HALT && vm_tc.debug.event == EVENT_WATCH && vm_tc.jit.resume) { /* not executed yet (DB13) */
        vm_tc.debug.watch_waits = true;
        vm_tc.jit.debug = JIT_STEP;
    } else if (why == JIT_STEPPED ? vm_tc.debug.watch_waits : vm_tc.debug.event == EVENT_WATCH && why == JIT_HALT) {
        vm_tc.debug.watch_waits = false;
        stop_at_watched();
    } else if (why == JIT_HALT)
        wait_for_debugger(vm_tc.debug.event);
    else if (debug_connected() && is_guest())
        stop_at(why == JIT_STEPPED ? EVENT_STEP : EVENT_BREAK);
}

void control_halt(enum debug_event e)
{
    vm_tc.debug.event = e;
    vm_tc.debug.told = true; /* until it waits */
    vm_tc.jit.debug = JIT_HALT;
}

/* DB10 */
void debug_stop_here(const char *message)
{
    vm_tc.debug.message = strdup(message);
    control_halt(EVENT_TOOL);
}

void debug_change_stop(struct thread *t, const char *message)
{
    free(t->debug.message);
    t->debug.message = message ? strdup(message) : NULL;
    if (message)
        return;
    t->debug.event = EVENT_NONE;
    pause_hold(t, false);
}

static bool is_passed(int sig) { return __atomic_load_n(&pass_signals, __ATOMIC_RELAXED) >> (sig - 1) & 1; }

/* The terminal sends SIGINT to the program as well as to the debugger, which asks for a stop then. */
static bool is_eaten(const siginfo_t *info)
{
    return info->si_signo == SIGINT && info->si_code == SI_KERNEL &&
           __atomic_exchange_n(&eat_interrupt, false, __ATOMIC_SEQ_CST);
}

/* The calling thread has left the list of threads. */
static void (*next_thread_left)(void);
static void thread_left(void)
{
    next_thread_left();
    if (vm_tc.jit.debug != JIT_STEP || !debug_connected())
        return;
    __atomic_store_n(&stepped_gone, true, __ATOMIC_SEQ_CST);
    debugport_ring(bell);
}

bool control_step_ended(void) { return __atomic_exchange_n(&stepped_gone, false, __ATOMIC_SEQ_CST); }

static bool debug_signal(siginfo_t *info)
{
    struct debug_thread *d = &vm_tc.debug;
    int sig = d->last = info->si_signo;
    if (!debug_connected() || !is_guest())
        return true;
    if (d->pass == sig) {
        d->pass = 0;
        return true;
    }
    if (is_eaten(info))
        return false;
    if (is_passed(sig))
        return true;
    d->signal = sig;
    d->info = *info;
    wait_for_debugger(EVENT_SIGNAL);
    if (!d->signal)
        return false;
    *info = d->signal == sig ? d->info : debugport_signal(d->signal);
    d->last = d->signal;
    return true;
}

/* --- stopping ----------------------------------------------------------------------------------------------------- */

void control_stop(void)
{
    if (!control_running)
        return;
    while (!pause_all()) /* a tool has stopped them, and will let them go */
        sched_yield();
    control_running = false;
}

struct thread *control_thread(u64 tid)
{
    for (u32 i = 0; i < pause_count(); i++)
        if (!tid || (u64)vforks_identity(pause_nth(i)).tid == tid)
            return pause_nth(i);
    return NULL;
}

bool debug_is_stopped(const struct thread *t)
{
    return !control_running && __atomic_load_n(&t->vm.pause_state, __ATOMIC_SEQ_CST) != PAUSE_RUNS;
}

static bool is_untold(const struct thread *t) { return t->debug.event && !t->debug.told; }

/* Events that come again by themselves when the thread goes on. */
static bool is_volatile(const struct thread *t)
{
    return t->debug.event == EVENT_BREAK || t->debug.event == EVENT_STEP;
}

static bool comes_before(const struct thread *a, const struct thread *b)
{
    bool a_steps = a->debug.event == EVENT_STEP, b_steps = b->debug.event == EVENT_STEP;
    return a_steps != b_steps ? a_steps : a->debug.told_at < b->debug.told_at;
}

bool control_choose(void)
{
    struct thread *best = NULL;
    for (u32 i = 0; i < pause_count(); i++) {
        struct thread *t = pause_nth(i);
        /* that of a thread which is stepped comes first, because the debugger waits for it; then that of the thread
         * that has not been told for longest, so that none starves */
        if (is_untold(t) && (!best || comes_before(t, best)))
            best = t;
    }
    if (best) {
        best->debug.told = true;
        best->debug.told_at = ++tells;
        control_current = best;
    }
    return best != NULL;
}

bool control_all_held(void)
{
    for (u32 i = 0; i < pause_count(); i++)
        if (!pause_nth(i)->vm.held)
            return false;
    return true;
}

void control_choose_any(void)
{
    struct thread *was = control_current; /* perhaps gone: only compared */
    control_current = NULL;
    for (u32 i = 0; i < pause_count(); i++)
        if (pause_nth(i) == was)
            control_current = was;
    if (!control_current)
        control_current = control_thread(0);
}

static void tell_watch(const struct debug_thread *d)
{
    static const char *const name[] = {[WATCH_WRITE] = "watch", [WATCH_READ] = "rwatch", [WATCH_ACCESS] = "awatch"};
    reply_text("%s:%lx;", name[d->watch], d->watch_at);
}

static void tell_message(struct debug_thread *d)
{
    if (!d->message)
        return;
    reply_begin();
    reply_text("O");
    reply_hex(d->message, strlen(d->message));
    reply_hex("\n", 1);
    reply_send();
}

void control_tell(int signal, bool waits)
{
    struct thread *t = control_current;
    struct debug_thread *d = t ? &t->debug : NULL;
    bool event = d && d->event && d->told;
    if (event && d->event == EVENT_TOOL && waits) /* text is for a debugger that waits for a stop */
        tell_message(d);
    if (event && d->event == EVENT_VFORK_END) {
        vforks_tell_end(t);
        return;
    }
    if (event)
        signal = d->event == EVENT_SIGNAL ? d->signal : SIGTRAP;
    reply_begin();
    reply_text("T%02x", signal_to_protocol(signal));
    if (t)
        registers_at_stop(t);
    if (t) {
        reply_text("thread:");
        reply_thread(t);
        reply_text(";");
    }
    if (event && d->event == EVENT_WATCH)
        tell_watch(d);
    if (event && d->event == EVENT_FORK)
        forks_tell(t);
    if (event && (d->event == EVENT_VFORK || d->event == EVENT_VFORK_DONE))
        vforks_tell(t);
    if (event && d->event == EVENT_EXEC)
        execs_tell();
    if (event && d->event == EVENT_BREAK)
        reply_text(breaks_hardware(arch_pc(&t->cpu)) ? "hwbreak:;" : "swbreak:;");
    if (signal == SIGINT && !event)
        __atomic_store_n(&eat_interrupt, true, __ATOMIC_SEQ_CST);
    reply_send();
}

/* --- resuming ----------------------------------------------------------------------------------------------------- */

/* A signal that the debugger has chosen for a thread that is not about to get one. */
static void send_signal(struct thread *t, int sig)
{
    t->debug.pass = sig;
    struct identity id = vforks_identity(t);
    debugport_send(id.pid, id.tid, sig);
}

static void let_go(struct thread *t, const struct resume *r)
{
    struct debug_thread *d = &t->debug;
    bool was_signal = d->event == EVENT_SIGNAL && d->told;
    if (was_signal)
        d->signal = r->signal;
    else if (r->signal)
        send_signal(t, r->signal);
    d->range_start = r->start;
    d->range_end = r->end;
    free(d->message);
    d->message = NULL;
    d->event = EVENT_NONE;
    d->fork = NULL;
    t->jit.debug = r->step ? JIT_STEP : JIT_FREE;
    pause_hold(t, false);
}

static bool runs_any(const struct resume *(*of)(const struct thread *t))
{
    bool any = !pause_count(); /* the program is about to end */
    for (u32 i = 0; i < pause_count(); i++)
        any |= of(pause_nth(i))->run;
    return any;
}

void control_resume(const struct resume *(*of)(const struct thread *t))
{
    if (!runs_any(of)) { /* no stop would ever be told */
        reply_error(1);
        return;
    }
    for (u32 i = 0; i < pause_count(); i++) /* an event that waits is told at once, and nothing goes on */
        if (is_untold(pause_nth(i)) && !is_volatile(pause_nth(i)) && of(pause_nth(i))->run) {
            control_choose();
            control_tell(SIGTRAP, true);
            return;
        }
    registers_forget();
    for (u32 i = 0; i < pause_count(); i++) {
        struct thread *t = pause_nth(i);
        const struct resume *r = of(t);
        if (r->run)
            let_go(t, r);
        else
            pause_hold(t, true);
    }
    control_running = true;
    pause_resume();
}

void control_resume_all(void)
{
    registers_forget();
    control_running = true;
    pause_resume();
}

/* A signal that waits is given to the program, as if nobody had asked. */
static const struct resume *freely(const struct thread *t)
{
    static struct resume r;
    r = (struct resume){.run = true, .signal = t->debug.event == EVENT_SIGNAL ? t->debug.signal : 0};
    return &r;
}

/* DB9 */
void control_release(void)
{
    control_stop();
    __atomic_store_n(&connected, false, __ATOMIC_RELEASE);
    hostevent_clear(&connect_event);
    pass_signals = 0;
    registers_forget();
    for (u32 i = 0; i < pause_count(); i++) {
        struct thread *t = pause_nth(i);
        t->debug.told = true;
        let_go(t, freely(t));
    }
    vforks_end();
    control_current = NULL;
    control_running = true;
    pause_resume();
}

/* --- start -------------------------------------------------------------------------------------------------------- */

void control_pass(u64 mask) { __atomic_store_n(&pass_signals, mask, __ATOMIC_RELAXED); }

u64 control_passed(void) { return __atomic_load_n(&pass_signals, __ATOMIC_RELAXED); }

void control_connected(void)
{
    __atomic_store_n(&connected, true, __ATOMIC_RELEASE);
    hostevent_set(&connect_event);
}

void control_start(void)
{
    bell = debugport_bell();
    pause_enable();
    pause_keep_looking();
    jit_events.breaks = breaks;
    jit_events.stopped = stopped;
    os_events.debug_signal = debug_signal;
    os_events.debug_fork = forks_point;
    os_events.debug_vfork = vforks_point;
    os_events.debug_exec = execs_option;
    os_events.debug_exec_begin = execs_begin;
    os_events.debug_exec_failed = execs_failed;
    next_thread_left = os_events.thread_left;
    os_events.thread_left = thread_left;
    debugport_watch_signals();
    if (debug_mode.stop) {
        vm_tc.debug.event = execs_told ? EVENT_EXEC : EVENT_ENTRY;
        vm_tc.jit.debug = JIT_HALT;
    }
}

/* In a child of fork there is no debugger. */
void control_forget(void)
{
    connected = false;
    control_running = true;
    control_current = NULL;
    hostevent_clear(&connect_event);
    vm_tc.debug.event = EVENT_NONE;
    vm_tc.debug.vfork = VFORK_NONE;
    vm_tc.jit.debug = JIT_FREE;
}

/* What control_start does, as far as a child of fork does not have it from its parent. */
void control_take_over(u64 pass)
{
    debugport_close(bell); /* it is the parent's */
    bell = debugport_bell();
    pause_keep_looking();
    control_pass(pass);
    control_halt(EVENT_ENTRY);
}

/* SPDX-License-Identifier: Apache-2.0
 * See pause.h. Owns the request to stop and the list of stopped threads. Sleeps on futexes; takes no lock but that of
 * the list of threads. */
#include "vm/pause.h"

#include "arch/arch.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "vm/stop.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

u32 pause_attention FORK_WRITES;

static u32 wanted FORK_WRITES;             /* not 0: threads are to stop */
static u32 resumes;            /* counts pause_resume; stopped threads sleep on it */
static u32 changes;            /* counts threads that have stopped; the stopper sleeps on it */
/* A guest thread that is to stop wants to stop the others itself, from an analysis routine. It would never stop, so the
 * stopper lets it go first. */
static u32 rival;
static const struct thread *stopper FORK_WRITES;
static struct thread **stopped;
static u32 nstopped FORK_WRITES, room;

static u32 load(const u32 *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }

void pause_enable(void)
{
    if (__atomic_exchange_n(&os_stops_threads, true, __ATOMIC_SEQ_CST))
        return;
    os_watch_waits();
    os_enable_interrupts();
}

/* --- a guest thread ----------------------------------------------------------------------------------------------- */

bool pause_wanted(const struct thread *t) { return (load(&wanted) && stopper != t) || load(&t->vm.held); }
bool pause_wanted_now(void) { return pause_wanted(&vm_tc); }

static void set_state(u32 state)
{
    vm_tc.vm.pause_tls = arch_tls_base();
    __atomic_store_n(&vm_tc.vm.pause_state, state, __ATOMIC_SEQ_CST);
    if (state != PAUSE_RUNS && load(&wanted)) {
        __atomic_add_fetch(&changes, 1, __ATOMIC_SEQ_CST);
        hostlock_futex(&changes, FUTEX_WAKE, INT_MAX);
    }
}

static void wait_for_resume(void)
{
    lockrank_free("a thread stops");
    set_state(PAUSE_PARKED);
    for (u32 seen = load(&resumes); pause_wanted_now(); seen = load(&resumes))
        hostlock_futex(&resumes, FUTEX_WAIT, seen);
    set_state(PAUSE_RUNS);
}

void pause_hold(struct thread *t, bool on) { __atomic_store_n(&t->vm.held, on, __ATOMIC_SEQ_CST); }
void pause_keep_looking(void) { __atomic_add_fetch(&pause_attention, 1, __ATOMIC_SEQ_CST); }

void pause_apply(void)
{
    struct pause_change *c = NULL;
    if (__atomic_load_n(&vm_tc.vm.pause_change, __ATOMIC_RELAXED))
        c = __atomic_exchange_n(&vm_tc.vm.pause_change, NULL, __ATOMIC_ACQ_REL);
    if (!c)
        return;
    arch_change_state(c->word, c->word + c->n, c->n);
    free(c);
    __atomic_sub_fetch(&pause_attention, 1, __ATOMIC_SEQ_CST);
}

void pause_point(void)
{
    while (pause_wanted_now())
        wait_for_resume();
    pause_apply();
}

void pause_enter_call(void)
{
    for (;;) {
        os_await_interrupt(); /* a signal that is still on its way would end the next system call */
        set_state(PAUSE_SAFE);
        if (LIKELY(!pause_wanted_now()))
            return;
        wait_for_resume();
    }
}

/* ST3 */
void pause_leave_call(void)
{
    set_state(PAUSE_RUNS);
    while (pause_wanted_now())
        wait_for_resume();
}

void pause_leave_guest(void)
{
    if (os_stops_threads)
        set_state(PAUSE_GONE);
}

/* --- the stopper -------------------------------------------------------------------------------------------------- */

static bool add_stopped(struct thread *t)
{
    if (nstopped == room) {
        u32 more = room ? 2 * room : 64;
        struct thread **p = realloc(stopped, more * sizeof *p);
        if (!p)
            return false;
        stopped = p;
        room = more;
    }
    stopped[nstopped++] = t;
    return true;
}

/* Asks the threads that run to stop (ST1). True: none runs. *again: one of them could not be asked. */
static bool look(bool *again)
{
    bool all = true;
    *again = false;
    nstopped = 0;
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next) {
        u32 state = __atomic_load_n(&t->vm.pause_state, __ATOMIC_SEQ_CST);
        if (t == &vm_tc || t->os.foreign_mm || state == PAUSE_GONE)
            continue;
        if (state == PAUSE_RUNS) {
            *again |= !os_interrupt_thread(t);
            all = false;
        } else if (!add_stopped(t)) {
            hostmem_die("the list of stopped threads");
        }
    }
    thread_list_unlock();
    return all;
}

bool pause_all(void)
{
    const struct thread *nobody = NULL;
    if (!__atomic_compare_exchange_n(&stopper, &nobody, &vm_tc, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        if (vm_tc.os.sigs) {
            __atomic_store_n(&rival, 1, __ATOMIC_SEQ_CST);
            __atomic_add_fetch(&changes, 1, __ATOMIC_SEQ_CST);
            hostlock_futex(&changes, FUTEX_WAKE, INT_MAX);
        }
        return false;
    }
    __atomic_store_n(&rival, 0, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&pause_attention, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&wanted, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        bool again;
        u32 seen = load(&changes);
        if (look(&again))
            return true;
        if (load(&rival)) { /* the other thread goes first */
            pause_resume();
            return false;
        }
        if (again)
            sched_yield();
        else
            hostlock_futex(&changes, FUTEX_WAIT, seen);
    }
}

bool pause_resume(void)
{
    if (__atomic_load_n(&stopper, __ATOMIC_SEQ_CST) != &vm_tc || !load(&wanted))
        return false;
    nstopped = 0;
    __atomic_store_n(&wanted, 0, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&pause_attention, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&stopper, NULL, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&resumes, 1, __ATOMIC_SEQ_CST);
    hostlock_futex(&resumes, FUTEX_WAKE, INT_MAX);
    return true;
}

u32 pause_count(void) { return load(&wanted) ? nstopped : 0; }
struct thread *pause_nth(u32 i) { return i < pause_count() ? stopped[i] : NULL; }

void pause_change(struct thread *t, const u64 *was, const u64 *now, u32 n)
{
    struct pause_change *c = malloc(sizeof *c + 2 * n * sizeof *now);
    if (!c)
        hostmem_die("the registers of a stopped thread");
    c->n = n;
    memcpy(c->word, was, n * sizeof *was);
    memcpy(c->word + n, now, n * sizeof *now);
    struct pause_change *old = __atomic_exchange_n(&t->vm.pause_change, c, __ATOMIC_ACQ_REL);
    if (!old)
        __atomic_add_fetch(&pause_attention, 1, __ATOMIC_SEQ_CST);
    free(old);
}

void pause_thread_gone(void)
{
    if (LIKELY(!os_stops_threads))
        return;
    struct pause_change *c = __atomic_exchange_n(&vm_tc.vm.pause_change, NULL, __ATOMIC_ACQ_REL);
    if (c)
        __atomic_sub_fetch(&pause_attention, 1, __ATOMIC_SEQ_CST);
    free(c);
    if (load(&wanted)) {
        __atomic_add_fetch(&changes, 1, __ATOMIC_SEQ_CST);
        hostlock_futex(&changes, FUTEX_WAKE, INT_MAX);
    }
}

/* In a child of fork: the stopper may have been another thread, which does not exist here. */
void pause_after_fork(void)
{
    vm_stop_requested = false;
    wanted = 0;
    pause_attention = 0;
    stopper = NULL;
    nstopped = 0;
    if (vm_tc.vm.pause_change)
        free(vm_tc.vm.pause_change);
    vm_tc.vm.pause_change = NULL;
    vm_tc.vm.pause_state = PAUSE_RUNS;
    vm_tc.vm.held = 0;
    vm_tc.os.stop_signal = 0;
}

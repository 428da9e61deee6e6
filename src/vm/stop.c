/* SPDX-License-Identifier: Apache-2.0
 * See stop.h. A thread is stopped when its epoch says that it is not in the cache: then it is in the VM, and enter()
 * will not let it back in. A thread in the cache, or in an analysis routine that was called from there, is poked by a
 * signal of the engine's own and leaves at the next boundary. */
#include "vm/stop.h"

#include "os/events.h"
#include "os/hostlock.h"
#include "vm/events.h"
#include "os/thread.h"

#include <time.h>

bool vm_stop_requested FORK_WRITES;
static bool for_good; /* the process ends */
static u32 parked; /* a count; the stopper sleeps on it */

void vm_park(void)
{
    lockrank_free("a thread stops for good");
    __atomic_add_fetch(&parked, 1, __ATOMIC_RELEASE);
    hostlock_futex(&parked, FUTEX_WAKE, INT_MAX);
    os_wait_for_end();
}

/* The stopper has the client lock, so a thread that waits for that lock stands still, too, in whatever routine it
 * is. */
bool vm_is_stopped(const struct thread *t)
{
    return __atomic_load_n(&t->vm.epoch, __ATOMIC_ACQUIRE) == ~0ul ||
           __atomic_load_n(&t->vm.waits_client, __ATOMIC_ACQUIRE);
}

static bool concerns(const struct thread *t) { return t != &vm_tc && !t->os.vfork_child && !t->os.foreign_mm; }

static u32 count_running(bool poke)
{
    u32 n = 0;
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next)
        if (concerns(t) && !vm_is_stopped(t)) {
            n++;
            if (poke)
                os_poke_thread(t->os.tid);
        }
    thread_list_unlock();
    return n;
}

static u64 now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

/* Sleeps until a thread parks, or a millisecond. */
static void wait_a_bit(u32 seen)
{
    hostlock_futex_1ms(&parked, seen);
}

static void stop_for_good(void)
{
    for_good = true;
    __atomic_store_n(&vm_stop_requested, true, __ATOMIC_SEQ_CST);
}

static void stop_for_detach(void)
{
    __atomic_store_n(&os_detaching, true, __ATOMIC_SEQ_CST);
    __atomic_store_n(&vm_stop_requested, true, __ATOMIC_SEQ_CST);
}

static void go_on(void)
{
    __atomic_store_n(&os_detaching, false, __ATOMIC_SEQ_CST);
    __atomic_store_n(&vm_stop_requested, for_good, __ATOMIC_SEQ_CST);
}

void vm_stop_all(bool on) { vm_events.stop_cache(on ? stop_for_detach : go_on); }

void vm_leave_translation(void) { vm_events.leave_translation(stop_for_good); }

bool vm_stop_others(u32 limit_ms)
{
    u64 end = now_ms() + limit_ms;
    vm_events.stop_cache(stop_for_good);
    u32 seen = __atomic_load_n(&parked, __ATOMIC_ACQUIRE);
    for (u32 turn = 0; count_running(turn % 16 == 0); turn++) {
        if (now_ms() >= end)
            return false;
        wait_a_bit(seen);
        seen = __atomic_load_n(&parked, __ATOMIC_ACQUIRE);
    }
    return true;
}

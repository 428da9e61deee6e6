/* SPDX-License-Identifier: Apache-2.0
 * Owns the list of guest threads, and the numbers that tools see. Its lock is nearly a leaf: under it no lock is taken
 * but those of memory. */
#include "os/thread.h"

#include "arch/arch.h"
#include "os/events.h"
#include "os/hostlock.h"

#include <stdlib.h>
#include <string.h>

#define MAX_IDS 8192u /* PIN_MAX_THREADS; if there are more threads at once, their numbers are not used again */

__thread struct thread vm_tc __attribute__((tls_model("local-exec"), aligned(64)));

/* E1. */
_Static_assert(_Alignof(struct thread) >= 64 && sizeof(struct thread) % 64 == 0,
               "no cache line is shared with another context");

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_THREADS);
static struct thread *first FORK_WRITES;
static u32 count FORK_WRITES, next_id, next_high_id;
static u64 next_uid;
static u64 id_taken[MAX_IDS / 64];
static u32 ids_taken;

void thread_list_lock(void) { hostlock_take(&lock); }
void thread_list_unlock(void) { hostlock_give(&lock); }

struct thread *thread_first(void) { return first; }
u32 thread_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

/* Gives the thread a number. Tools index tables by it, and add up at the end what ended threads have left there: a
 * number is used again only when all have been used. */
static void take_id(struct thread *t)
{
    t->uid = next_uid++;
    t->has_id = true;
    for (u32 i = 0; i < MAX_IDS; i++) {
        u32 id = next_id++ % MAX_IDS;
        if (!(id_taken[id / 64] >> id % 64 & 1)) {
            id_taken[id / 64] |= 1ul << id % 64;
            ids_taken++;
            t->id = id;
            return;
        }
    }
    t->id = MAX_IDS + next_high_id++;
}

static void give_id(struct thread *t)
{
    t->has_id = false;
    if (t->id >= MAX_IDS)
        return;
    id_taken[t->id / 64] &= ~(1ul << t->id % 64);
    ids_taken--;
}

void thread_take_id(void)
{
    thread_list_lock();
    take_id(&vm_tc);
    thread_list_unlock();
}

void thread_give_id(void)
{
    thread_list_lock();
    give_id(&vm_tc);
    thread_list_unlock();
}

void thread_register(void)
{
    struct thread *t = &vm_tc;
    arch_init_thread(&t->cpu);
    t->vm.epoch = t->vm.epoch_floor = ~0ul;
    thread_list_lock();
    take_id(t);
    t->prev = NULL;
    t->next = first;
    if (first)
        first->prev = t;
    first = t;
    count++;
    thread_list_unlock();
}

void thread_unregister(void)
{
    struct thread *t = &vm_tc;
    thread_list_lock();
    if (t->prev)
        t->prev->next = t->next;
    else
        first = t->next;
    if (t->next)
        t->next->prev = t->prev;
    count--;
    os_events.thread_gone();
    if (count) /* the last one still has the tool's fini functions to run */
        give_id(t);
    thread_list_unlock();
    os_events.thread_left();
}

void thread_after_fork(void)
{
    os_events.thread_forked();
    if (count == 1 && ids_taken == 1) /* all is as it was */
        return;
    vm_tc.next = vm_tc.prev = NULL;
    first = &vm_tc;
    count = 1;
    memset(id_taken, 0, sizeof id_taken);
    ids_taken = vm_tc.id < MAX_IDS;
    if (ids_taken)
        id_taken[vm_tc.id / 64] = 1ul << vm_tc.id % 64;
}

/* SPDX-License-Identifier: Apache-2.0
 * The list of guest threads. Its lock is a leaf: nothing else is taken under it. */
#include "vm/thread.h"

#include "arch/arch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

__thread struct thread vm_tc __attribute__((tls_model("local-exec"), aligned(64)));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *first;
static u32 count, next_id;

void thread_list_lock(void) { pthread_mutex_lock(&lock); }
void thread_list_unlock(void) { pthread_mutex_unlock(&lock); }
struct thread *thread_first(void) { return first; }
u32 thread_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

void thread_register(void)
{
    struct thread *t = &vm_tc;
    arch_init_thread(&t->cpu);
    t->epoch = ~0ul;
    thread_list_lock();
    t->id = next_id++;
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
    thread_list_unlock();
}

void thread_after_fork(void)
{
    vm_tc.next = vm_tc.prev = NULL;
    first = &vm_tc;
    count = 1;
}

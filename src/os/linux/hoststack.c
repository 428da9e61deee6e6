/* SPDX-License-Identifier: Apache-2.0
 * Host stacks, used again and again, because making one costs three system calls and fresh pages. A stack whose thread
 * is just ending is joined by its next user, so the queue is first in, first out: the oldest has had the longest time
 * to end. Any thread; own lock. */
#include "os/linux/hoststack.h"

#include "base/options.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/linux/hostheap.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"
#include "os/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENGINE_BYTES (256ul << 10) /* what the engine and a tool's analysis routines may use */

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_STACKS);
static struct host_stack *all;
static struct host_stack *first FORK_WRITES, **last FORK_WRITES = &first;

/* libc puts the thread's TLS, the context included, onto the stack it is given. */
static size_t stack_bytes(void)
{
    long least = sysconf(_SC_THREAD_STACK_MIN);
    size_t wanted = (size_t)options.thread_stack_size << 10;
    return PAGE_UP((wanted > ENGINE_BYTES ? wanted + ENGINE_BYTES : ENGINE_BYTES) + (least > 0 ? (size_t)least : 0));
}

static void init_used(struct host_stack *s)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&s->used, &attr);
    pthread_mutexattr_destroy(&attr);
}

static struct host_stack *make(void)
{
    struct host_stack *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    init_used(s);
    s->bytes = stack_bytes();
    u8 *low = hostmem_map(s->bytes + PAGE_BYTES, PROT_READ | PROT_WRITE);
    if (!low || mprotect(low, PAGE_BYTES, PROT_NONE) < 0) {
        if (low)
            hostmem_unmap(low, s->bytes + PAGE_BYTES);
        free(s);
        return NULL;
    }
    s->base = low + PAGE_BYTES;
    hostlock_take(&lock);
    s->all = all;
    all = s;
    hostlock_give(&lock);
    return s;
}

/* The kernel lets go of the lock when the thread has left its stack for good. */
static void join(struct host_stack *s)
{
    int err = pthread_mutex_lock(&s->used);
    if (err != EOWNERDEAD)
        BUG("the stack of an ended guest thread: error %d", err);
    pthread_mutex_consistent(&s->used);
    pthread_mutex_unlock(&s->used);
    thread_join(s->thread);
    s->joinable = false;
}

struct host_stack *hoststack_get(void)
{
    hostlock_take(&lock);
    struct host_stack *s = first;
    if (s && !(first = s->next))
        last = &first;
    hostlock_give(&lock);
    if (!s)
        return make();
    if (s->joinable)
        join(s);
    return s;
}

static void enqueue(struct host_stack *s)
{
    s->next = NULL;
    *last = s;
    last = &s->next;
}

void hoststack_put(struct host_stack *s)
{
    hostlock_take(&lock);
    enqueue(s);
    hostlock_give(&lock);
}

void hoststack_put_ending(struct host_stack *s, pthread_t self)
{
    pthread_mutex_lock(&s->used);
    s->thread = self;
    s->joinable = true;
    hoststack_put(s);
}

u64 hoststack_bytes(void) { return stack_bytes() + PAGE_BYTES; }

u64 hoststack_resident_bytes(u32 *count)
{
    u64 sum = 0;
    *count = 0;
    hostlock_take(&lock);
    const struct host_stack *s = all;
    hostlock_give(&lock);
    for (; s; s = s->all, ++*count)
        sum += hostmem_resident_bytes((u64)s->base, (u64)s->base + s->bytes);
    return sum;
}

void hoststack_before_fork(void)
{
    hostlock_take(&lock);
}

static bool stands_on(const struct host_stack *s, const void *p)
{
    return (const u8 *)p >= s->base && (const u8 *)p < s->base + s->bytes;
}

void hoststack_after_fork(bool child)
{
    if (child) {
        first = NULL;
        last = &first;
        for (struct host_stack *s = all; s; s = s->all) {
            s->joinable = false; /* no such thread here */
            init_used(s);
            if (!stands_on(s, &child) && !stands_on(s, &vm_tc))
                enqueue(s);
        }
        hostlock_reset(&lock);
    } else {
        hostlock_give(&lock);
    }
}

void os_memory(struct os_memory *out)
{
    out->heap = hostheap_bytes();
    out->stacks = hoststack_resident_bytes(&out->nstacks);
    out->per_thread = hoststack_bytes() + signal_stack_bytes();
}

/* SPDX-License-Identifier: Apache-2.0
 * Threads of the tool: PIN_SpawnInternalThread, their end, waiting for it. They are pthreads with a number from the
 * same series as the guest's threads and never run guest code; records of ended ones stay, for somebody may ask for
 * their exit code. The list's lock is a leaf. */
#include "vm/client.h"
#include "opt/objects.h"
#include "api/reattach.h"
#include "api/tool.h"
#include "jit/jit.h"
#include "os/hostevent.h"
#include "os/thread.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

#define NO_THREAD (~0u)

struct internal {
    void (*fn)(void *);
    void *arg;
    u64 uid;
    u32 id;
    s32 code;
    int pid;                  /* of the process that it was made in: in a child of fork it does not exist */
    struct hostevent started, ended;
    jmp_buf *frame;           /* PIN_ExitThread's way out */
    struct internal *next;
};

static struct hostlock lock = HOSTLOCK(LOCK_INTERNAL);
static struct internal *first;
static __thread struct internal *self;

static void *thread_main(void *arg)
{
    struct internal *t = self = arg;
    jmp_buf frame;
    t->frame = &frame;
    thread_take_id();
    t->uid = vm_tc.uid;
    t->id = vm_tc.id;
    tool_thread_data_begin();
    hostevent_set(&t->started);
    if (!_setjmp(frame))
        t->fn(t->arg);
    client_release();
    tool_thread_data_end(vm_tc.id);
    thread_give_id();
    hostevent_set(&t->ended);
    return NULL;
}

static bool start(struct internal *t, size_t stack_bytes)
{
    pthread_t thread;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return false;
    bool ok = !pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) &&
              (!stack_bytes || !pthread_attr_setstacksize(&attr, PAGE_UP(stack_bytes))) &&
              !pthread_create(&thread, &attr, thread_main, t);
    pthread_attr_destroy(&attr);
    return ok;
}

u32 PIN_SpawnInternalThread(void (*fn)(void *), void *arg, size_t stack_bytes, u64 *uid)
{
    struct internal *t = calloc(1, sizeof *t);
    if (!t)
        return NO_THREAD;
    t->fn = fn;
    t->arg = arg;
    t->pid = getpid();
    if (!start(t, stack_bytes)) {
        free(t);
        return NO_THREAD;
    }
    hostevent_wait(&t->started, HOSTEVENT_FOREVER);
    hostlock_take(&lock);
    t->next = first;
    first = t;
    hostlock_give(&lock);
    if (uid)
        *uid = t->uid;
    return t->id;
}

void PIN_ExitThread(int code)
{
    if (jit_lock_held())
        api_misuse("PIN_ExitThread", NULL, 0, "instrumentation functions may not call it");
    client_release();
    if (self) {
        self->code = code;
        _longjmp(*self->frame, 1);
    }
    if (vm_tc.os.sigs)
        os_thread_exit(code);
    pthread_exit(NULL); /* a thread that the tool has made without the API */
}

static struct internal *find(u64 uid)
{
    hostlock_take(&lock);
    struct internal *t = first;
    while (t && t->uid != uid)
        t = t->next;
    hostlock_give(&lock);
    return t;
}

int PIN_WaitForThreadTermination(u64 uid, u32 ms, int *code)
{
    struct internal *t = find(uid);
    if (!t || t == self || (t->pid == getpid() && !hostevent_wait(&t->ended, ms)))
        return 0;
    if (code)
        *code = t->code;
    return 1;
}

bool internal_threads_live(void)
{
    bool any = false;
    hostlock_take(&lock);
    for (struct internal *t = first; t && !any; t = t->next)
        any = t != self && t->pid == getpid() && !hostevent_is_set(&t->ended);
    hostlock_give(&lock);
    return any;
}

/* In a child of fork: another thread may have held the lock when the process forked. */
void internal_threads_after_fork(void)
{
    hostlock_reset(&lock);
    self = NULL;
    reattach_after_fork();
}

/* SPDX-License-Identifier: Apache-2.0
 * The engine's pthread_create, which the tool and its libraries get instead of libc's: the new thread has all
 * asynchronous signals blocked, its stack is registered as host memory, and the guest does not see it in /proc
 * (hosttask.c). */
#include "os/linux/hosttask.h"

#include "arch/arch.h"
#include "os/hostevent.h"
#include "os/linux/hostfd.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "os/native.h"
#include "os/linux/os_thread.h"
#include "os/linux/signal.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

size_t os_copy_quietly(void *dst, const void *src, size_t bytes)
{
    struct iovec to = {dst, bytes}, from = {(void *)src, bytes};
    /* the thread's own number, because the process' first thread may have ended */
    ssize_t n = process_vm_readv(gettid(), &to, 1, &from, 1, 0);
    return n < 0 ? 0 : (size_t)n;
}

/* The kernel tries it: a futex operation that does an atomic or with 0 and wakes nobody. */
bool os_writable(u64 addr)
{
    u32 nobody = 0;
    u64 op = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0);
    return arch_raw_syscall(SYS_futex, (u64)&nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, addr & ~3ul, op) >= 0;
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int hosttask_libc_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    static create_fn *libc;
    create_fn *f = __atomic_load_n(&libc, __ATOMIC_RELAXED);
    if (!f) {
        f = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
        __atomic_store_n(&libc, f, __ATOMIC_RELAXED);
    }
    int err = f(thread, attr, fn, arg);
    if (!err)
        /* The new thread does so, too, before it runs the guest's code; but it may be another process' soon. */
        signal_take_back_setxid();
    return err;
}

/* Signals of faults stay open, because the engine reports them; in probe mode they are the program's. */
static void block_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < ARRAY_LEN(faults) && !os_native; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void note_stack(void)
{
    pthread_attr_t attr;
    void *base;
    size_t bytes, guard = 0;
    if (pthread_getattr_np(pthread_self(), &attr))
        return;
    if (!pthread_attr_getstack(&attr, &base, &bytes) && !pthread_attr_getguardsize(&attr, &guard))
        hostmem_note(PAGE_DOWN((u64)base - guard), PAGE_UP((u64)base + bytes));
    pthread_attr_destroy(&attr);
}

struct start {
    void *(*fn)(void *);
    void *arg;
    struct hostevent known; /* set when the guest cannot see the thread any more */
};

static void *task_main(void *p)
{
    struct start *s = p;
    void *(*fn)(void *) = s->fn, *arg = s->arg;
    block_signals();
    signal_take_back_setxid(); /* this comes before anything can rely on it */
    hosttask_note((int)gettid());
    note_stack();
    hostevent_set(&s->known);
    return fn(arg);
}

int hosttask_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    struct start s = {fn, arg, {0}};
    int err = hosttask_libc_create(thread, attr, task_main, &s);
    if (!err)
        hostevent_wait(&s.known, HOSTEVENT_FOREVER);
    return err;
}

/* For threads of the tool; guest threads are made by hosttask_libc_create. */
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*fn)(void *),
                   void *restrict arg)
{
    os_events.tool_thread();
    return hosttask_create(thread, attr, fn, arg);
}

/* SPDX-License-Identifier: Apache-2.0
 * PIN_Attach: the tool that has left by PIN_Detach comes back, with its memory and its threads as they are. A tool that
 * refers to PIN_Attach stays in the process when it leaves: its threads go on, the program goes on in the engine
 * without anything of the tool's, and can be taken up again from there. Both are done by a thread of the engine's own,
 * while all guest threads are stopped (vm/pause.h). Rule A58.
 *
 *   ATTACHED -> DETACHED   thread-detach functions; every function, call and replacement of the tool's is forgotten,
 *                          all translations too; then the threads go on, and the detach functions run beside them
 *   DETACHED -> ASKED -> COMING -> ATTACHED
 *                          the function given to PIN_Attach, which registers others; functions for the images that are
 *                          there, for the start of the application, for each thread; then the threads go on */
#include "api/reattach.h"

#include "api/callback_list.h"
#include "api/callbacks.h"
#include "api/rtn_insert.h"
#include "api/tool.h"
#include "jit/jit_internal.h"
#include "linchpin/callbacks.h"
#include "linchpin/enums.h"
#include "os/hostevent.h"
#include "vm/pause.h"

#include <pthread.h>
#include <sched.h>

static bool stays; /* the tool refers to PIN_Attach */
static enum { ATTACHED, DETACHED, ASKED, COMING } state;
static bool wants_out;
static struct hostevent work; /* for the thread */
static bool works;            /* there is one */
static ATTACH_CALLBACK come_fn;
static void *come_arg;
static struct tool_callback **detach_list;
static void (*detach_tell)(void *);

static void stop_threads(void)
{
    while (!pause_all()) /* the tool has stopped them */
        sched_yield();
    client_lock();
}

static void forget_tool(void)
{
    tool_callbacks_forget();
    signals_forget();
    jit_lock();
    rtn_insert_forget();
    jit_unlock();
    CODECACHE_FlushCache();
}

static void leave(void)
{
    stop_threads();
    tool_stopped_threads_leave();
    struct tool_callback *told = *detach_list;
    forget_tool();
    client_unlock();
    PIN_ResumeApplicationThreads(0);
    __atomic_store_n(&state, DETACHED, __ATOMIC_SEQ_CST);
    detach_tell(told);
}

static void come(void)
{
    stop_threads();
    come_fn(come_arg);
    jit_lock();
    image_load_all();
    jit_unlock();
    callbacks_start();
    tool_stopped_threads_come();
    CODECACHE_FlushCache(); /* what was made without the tool */
    __atomic_store_n(&state, ATTACHED, __ATOMIC_SEQ_CST);
    client_unlock();
    PIN_ResumeApplicationThreads(0);
}

static void *serve(void *arg)
{
    for (;;) {
        hostevent_wait(&work, HOSTEVENT_FOREVER);
        hostevent_clear(&work);
        if (reattach_comes())
            come();
        if (__atomic_exchange_n(&wants_out, false, __ATOMIC_SEQ_CST) &&
            __atomic_load_n(&state, __ATOMIC_SEQ_CST) == ATTACHED)
            leave();
    }
    return arg;
}

static void start_thread(void)
{
    pthread_t thread;
    if (!__atomic_exchange_n(&works, true, __ATOMIC_SEQ_CST) && pthread_create(&thread, NULL, serve, NULL))
        die(1, "PIN_Detach: out of memory for a thread");
}

bool reattach_comes(void) { return __atomic_load_n(&state, __ATOMIC_SEQ_CST) == COMING; }

bool reattach_leave(struct tool_callback **list, void (*tell)(void *))
{
    if (!stays)
        return false;
    detach_list = list;
    detach_tell = tell;
    __atomic_store_n(&wants_out, true, __ATOMIC_SEQ_CST);
    start_thread();
    hostevent_set(&work);
    return true;
}

static ATTACH_STATUS attach(ATTACH_CALLBACK fn, void *arg)
{
    typeof(state) left = DETACHED;
    if (!__atomic_compare_exchange_n(&state, &left, ASKED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return ATTACH_FAILED_DETACH;
    come_fn = fn;
    come_arg = arg;
    __atomic_store_n(&state, COMING, __ATOMIC_SEQ_CST);
    start_thread();
    hostevent_set(&work);
    return ATTACH_INITIATED;
}

typedef ATTACH_STATUS attach_fn(ATTACH_CALLBACK, void *);
static attach_fn *resolve_attach(void) __attribute__((used)); /* the ifunc attribute below refers to it by its name */
static attach_fn *resolve_attach(void)
{
    stays = true;
    pause_enable();
    return attach;
}

ATTACH_STATUS PIN_Attach(ATTACH_CALLBACK fn, void *arg) __attribute__((ifunc("resolve_attach")));

/* The thread is not there in a child; threads were not stopped when it was made. */
void reattach_after_fork(void)
{
    works = wants_out = false;
    hostevent_clear(&work);
    if (state == ASKED || state == COMING)
        state = DETACHED;
}

/* SPDX-License-Identifier: Apache-2.0
 * Registration and calling of the functions for the process' start and end and for threads, and of the instrumentation
 * functions of traces and instructions; order of callbacks. Lists are in the order of CALL_ORDER, then of
 * registration. */
#include "api/callbacks.h"

#include "api/buffer.h"

#include "api/callback_list.h"
#include "api/progress.h"
#include "api/reattach.h"
#include "api/results.h"
#include "opt/objects.h"
#include "api/tool.h"
#include "arch/arch.h"
#include "jit/instrument.h"
#include "os/events.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "vm/pause.h"
#include "vm/stop.h"
#include "os/thread.h"

#include <limits.h>

typedef void process_fn(void *);
typedef void fini_fn(int, void *);
typedef void thread_fn(u32, void *, int, void *);
typedef void begin_fn(u32, void *, int, void *);
typedef void end_fn(u32, int, void *);
typedef void attach_fn(u32, void *, void *);

static struct tool_callback *app_start, *prepare_fini, *fini, *fini_unlocked, *thread_start, *thread_end;
static struct tool_callback *thread_begin, *thread_finish; /* 2.x: begin and end functions, which see no context */
static struct tool_callback *thread_attach, *thread_detach;
static bool exiting;

void *PIN_AddApplicationStartFunction(void *fn, void *arg) { return tool_callback_add(&app_start, fn, arg); }

static bool watching; /* signals that end the program come to the engine, so that functions for the end run */

bool callbacks_want_end(void)
{
    return prepare_fini || fini || fini_unlocked || thread_end || thread_finish || results_any();
}

void callbacks_watch(void)
{
    watching = true;
    if (callbacks_want_end() || progress_wanted())
        os_signal_watch(0);
}

bool callbacks_of_jit(void) { return thread_start || thread_end; }

void callbacks_add_end(void)
{
    if (watching)
        callbacks_watch();
}

static void *add_end(struct tool_callback **list, void *fn, void *arg)
{
    void *c = tool_callback_add(list, fn, arg);
    callbacks_add_end();
    return c;
}

void *PIN_AddPrepareForFiniFunction(void *fn, void *arg) { return add_end(&prepare_fini, fn, arg); }
void *PIN_AddFiniFunction(void *fn, void *arg) { return add_end(&fini, fn, arg); }
void *PIN_AddFiniUnlockedFunction(void *fn, void *arg) { return add_end(&fini_unlocked, fn, arg); }
void *PIN_AddThreadStartFunction(void *fn, void *arg) { return tool_callback_add(&thread_start, fn, arg); }
void *PIN_AddThreadFiniFunction(void *fn, void *arg) { return add_end(&thread_end, fn, arg); }
void PIN_AddThreadBeginFunction(void *fn, void *arg) { tool_callback_add(&thread_begin, fn, arg); }
void PIN_AddThreadEndFunction(void *fn, void *arg) { add_end(&thread_finish, fn, arg); }
void *INS_AddInstrumentFunction(void *fn, void *arg)
{
    return tool_callback_add(&instrument_callbacks[INSTRUMENT_INS], fn, arg);
}
void *TRACE_AddInstrumentFunction(void *fn, void *arg)
{
    return tool_callback_add(&instrument_callbacks[INSTRUMENT_TRACE], fn, arg);
}

/* --- order -------------------------------------------------------------------------------------------------- */

static struct tool_callback *checked(const char *call, void *callback)
{
    if (!callback)
        api_misuse(call, NULL, 0, "the callback is not valid");
    return callback;
}

static void set_order(struct tool_callback *c, s32 order)
{
    client_lock(); /* no list is being walked */
    tool_callback_reorder(c, order);
    client_unlock();
}

void CALLBACK_SetExecutionOrder(void *callback, s32 order) { set_order(checked(__func__, callback), order); }
void CALLBACK_SetExecutionPriority(void *callback, s32 order) { set_order(checked(__func__, callback), order); }
s32 CALLBACK_GetExecutionOrder(void *callback) { return checked(__func__, callback)->order; }
s32 CALLBACK_GetExecutionPriority(void *callback) { return checked(__func__, callback)->order; }

/* --- the process -------------------------------------------------------------------------------------------- */

void callbacks_start(void)
{
    client_lock();
    CALLBACKS_EACH(c, app_start)
        ((process_fn *)c->fn)(c->arg);
    client_unlock();
}

void callbacks_prepare_fini(void)
{
    __atomic_store_n(&exiting, true, __ATOMIC_RELAXED);
    CALLBACKS_EACH(c, prepare_fini)
        ((process_fn *)c->fn)(c->arg);
}

void callbacks_fini(int status)
{
    client_lock();
    vm_tc.tool.ending = ENDING_PROCESS;
    CALLBACKS_EACH(c, fini)
        ((fini_fn *)c->fn)(status, c->arg);
    client_unlock();
    client_release(); /* tool_other_threads_end has kept it */
    CALLBACKS_EACH(c, fini_unlocked)
        ((fini_fn *)c->fn)(status, c->arg);
}

const char *callbacks_ending(void)
{
    static const char *const what[] = {[ENDING_THREAD] = "a thread-fini", [ENDING_PROCESS] = "an application-fini"};
    return what[vm_tc.tool.ending];
}

void PIN_RemoveFiniFunctions(void)
{
    client_lock();
    fini = fini_unlocked = NULL;
    client_unlock();
}

int PIN_IsProcessExiting(void) { return __atomic_load_n(&exiting, __ATOMIC_RELAXED); }

/* --- memory ------------------------------------------------------------------------------------------------ */

static struct tool_callback *out_of_memory;

/* Called when memory has run out; any lock may be held. */
static void ran_out(size_t bytes)
{
    CALLBACKS_EACH(c, out_of_memory)
        ((void (*)(size_t, void *))c->fn)(bytes, c->arg);
}

void PIN_AddOutOfMemoryFunction(void *fn, void *arg)
{
    out_of_memory = NULL; /* there is one: the last */
    tool_callback_add(&out_of_memory, fn, arg);
    hostmem_ran_out = ran_out;
}

/* --- threads ------------------------------------------------------------------------------------------------ */

/* The context a thread starts or ends with: its registers in the VM. The start functions may change it. */
static void call_thread(struct tool_callback **list, int value)
{
    struct bridge_state state;
    if (!*list)
        return;
    client_lock();
    callbacks_context(&state, &vm_tc.cpu);
    CALLBACKS_EACH(c, *list)
        ((thread_fn *)c->fn)(vm_tc.id, &state, value, c->arg);
    if (list == &thread_start)
        context_give(&vm_tc.cpu, &state);
    client_unlock();
}

static void call_at(struct tool_callback *list, struct thread *t)
{
    struct bridge_state state;
    callbacks_context(&state, &t->cpu);
    CALLBACKS_EACH(c, list)
        ((attach_fn *)c->fn)(t->id, &state, c->arg);
}

static u32 arrivals; /* threads of an attach whose start functions are through; slept on */

static void arrive(struct thread *t)
{
    if (!t->os.adopted || __atomic_exchange_n(&t->tool.arrived, true, __ATOMIC_SEQ_CST))
        return;
    __atomic_add_fetch(&arrivals, 1, __ATOMIC_SEQ_CST);
    hostlock_futex(&arrivals, FUTEX_WAKE, INT_MAX);
}

/* After an attach no instruction runs before the tool has heard of all threads that are there. */
static void wait_for_others(void)
{
    arrive(&vm_tc);
    for (u32 seen; vm_tc.os.adopted && (seen = __atomic_load_n(&arrivals, __ATOMIC_SEQ_CST)) < adopt_count();)
        hostlock_futex(&arrivals, FUTEX_WAIT, seen);
}

void tool_thread_start(void)
{
    if (vm_tc.uid) /* the first thread's may have been set before it starts */
        tool_thread_data_begin();
    buffer_thread_start(&vm_tc);
    client_lock();
    vm_tc.tool.started = true;
    CALLBACKS_EACH(c, thread_begin)
        ((begin_fn *)c->fn)(vm_tc.id, (void *)arch_sp(&vm_tc.cpu), 0, c->arg);
    call_thread(&thread_start, 0);
    if (vm_tc.os.adopted)
        call_at(thread_attach, &vm_tc);
    client_unlock();
    wait_for_others();
}

static void tell_end(struct thread *t, struct bridge_state *state, int code)
{
    vm_tc.tool.ending = ENDING_THREAD;
    CALLBACKS_EACH(c, thread_end)
        ((thread_fn *)c->fn)(t->id, state, code, c->arg);
    CALLBACKS_EACH(c, thread_finish)
        ((end_fn *)c->fn)(t->id, code, c->arg);
    vm_tc.tool.ending = ENDING_NONE;
}

/* Called once for each thread, with its number and registers; it need not be the calling thread. Not `ends`: the thread
 * goes on without the tool. */
static void end_thread(struct thread *t, int code, bool ends)
{
    struct bridge_state state;
    client_lock();
    bool told = t->tool.told;
    t->tool.told = true;
    if (!told && t->tool.started) { /* the engine's own threads have not begun for the tool */
        callbacks_context(&state, &t->cpu);
        buffer_thread_end(t, &state);
        if (ends)
            tell_end(t, &state, code);
    }
    client_unlock();
    if (!told)
        tool_thread_data_end(t->id);
    arrive(t);
}

void tool_thread_end(int code) { end_thread(&vm_tc, code, true); }

void *PIN_AddThreadAttachFunction(void *fn, void *arg) { return tool_callback_add(&thread_attach, fn, arg); }
void *PIN_AddThreadDetachFunction(void *fn, void *arg) { return tool_callback_add(&thread_detach, fn, arg); }

static void leave_thread(struct thread *t, bool end)
{
    if (!t->tool.started || t->tool.told)
        return;
    arch_set_tls_base(t->vm.pause_tls); /* what its context shows; the calling thread has no guest */
    call_at(thread_detach, t);
    end_thread(t, 0, end);
}

void tool_threads_leave(bool end)
{
    client_lock();
    for (struct thread *t = thread_first(); t; t = t->next) /* all stand still, none comes or goes */
        leave_thread(t, end);
    client_unlock();
}

void tool_stopped_threads_leave(void)
{
    for (u32 i = 0; i < pause_count(); i++)
        leave_thread(pause_nth(i), false);
}

void tool_stopped_threads_come(void)
{
    for (u32 i = 0; i < pause_count(); i++) {
        struct thread *t = pause_nth(i);
        void *context = PIN_GetStoppedThreadWriteableContext(t->id);
        buffer_thread_start(t);
        t->tool.started = true;
        t->tool.told = false;
        CALLBACKS_EACH(c, thread_begin)
            ((begin_fn *)c->fn)(t->id, (void *)arch_sp(&t->cpu), 0, c->arg);
        CALLBACKS_EACH(c, thread_start)
            ((thread_fn *)c->fn)(t->id, context, 0, c->arg);
        CALLBACKS_EACH(c, thread_attach)
            ((attach_fn *)c->fn)(t->id, context, c->arg);
    }
}

/* The next thread whose end the tool has not been told. While the client lock is held, such a thread cannot go away. */
static struct thread *next_untold(void)
{
    thread_list_lock();
    struct thread *t = thread_first();
    while (t && (t == &vm_tc || !t->tool.started || t->tool.told || !vm_is_stopped(t)))
        t = t->next;
    thread_list_unlock();
    return t;
}

#define STOP_LIMIT_MS 2000

/* The calling thread may be none of the program's. */
static bool others_are_there(void)
{
    thread_list_lock();
    const struct thread *t = thread_first();
    bool there = t && (t != &vm_tc || t->next);
    thread_list_unlock();
    return there;
}

bool tool_other_threads_end(int code)
{
    if (!others_are_there())
        return true;
    client_lock(); /* never given back, so that no other code of the tool runs beside what follows */
    bool stopped = vm_stop_others(STOP_LIMIT_MS);
    for (struct thread *t; (t = next_untold());)
        end_thread(t, code, true);
    return stopped;
}

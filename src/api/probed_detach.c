/* SPDX-License-Identifier: Apache-2.0
 * PIN_DetachProbed, PIN_AttachProbed and `linchpin detach` (docs/design/probes.md, PB15, PB18): the tool leaves a
 * program that runs natively, and comes back. It stays in memory: a thread may be in one of its functions, or in an
 * island, for as long as it likes. The first two are done by a thread of the engine's own, in the order in which they
 * are asked for, the third by the agent, and for good. */
#include "api/probed.h"

#include "api/callback_list.h"
#include "api/callbacks.h"
#include "api/results.h"
#include "api/tool.h"
#include "image/image.h"
#include "jit/jit_internal.h"
#include "linchpin/callbacks.h"
#include "linchpin/enums.h"
#include "linchpin/types.h"
#include "os/events.h"
#include "os/hostevent.h"
#include "os/native.h"
#include "os/os.h"
#include "vm/client.h"

#include <pthread.h>
#include <stdio.h>

static enum { ATTACHED, LEAVING, DETACHED, COMING, ENDING, ENDED } state;
static bool leave_next; /* asked for while the tool comes */
static bool end_claimed;
static struct hostevent end_over;
static struct hostevent work;
static bool works; /* the thread is there */
static ATTACH_PROBED_CALLBACK come_fn;
static void *come_arg;
static struct tool_callback *detached;

static void thread_left(void) { probed_tell_thread(false); }
static void thread_came(void) { probed_tell_thread(true); }

/* A list that was emptied meanwhile is walked to its end. */
static void tell(const struct tool_callback *c)
{
    for (; c; c = c->next)
        ((DETACH_PROBED_CALLBACK)c->fn)(c->arg);
}

static void leave(void)
{
    probed_keep_detach();
    probed_watch_signals(false);
    if (!probe_place_all_and_visit(false, thread_left))
        msg("PIN_DetachProbed: the program's threads cannot be stopped, so its functions stay led to the tool, which "
            "does nothing any more");
    client_lock();
    probed_forget_calls();
    struct tool_callback *told = detached;
    tool_callbacks_forget();
    client_unlock();
    __atomic_store_n(&state, DETACHED, __ATOMIC_SEQ_CST);
    tell(told);
}

bool probed_claim_end(void) { return !__atomic_exchange_n(&end_claimed, true, __ATOMIC_SEQ_CST); }
void probed_await_end(void) { hostevent_wait(&end_over, HOSTEVENT_FOREVER); }

/* As at the end of the program: a tool that writes its results in a fini function has written them. */
static void end_tool(void)
{
    tool_mend_streams();
    callbacks_prepare_fini();
    client_lock();
    tell(detached);
    client_unlock();
    results_give((struct lp_results_info){.why = LP_RESULTS_DETACH});
    callbacks_fini(0);
    fflush(NULL);
    client_lock();
    probed_over = true;
    probed_forget_calls();
    tool_callbacks_forget();
    probed_keep_detach(); /* none any more */
    client_unlock();
    os_events.results_wanted = NULL;
    hostevent_set(&end_over);
}

/* By command. Until the probes are out nothing has changed. */
static const char *leave_for_good(void)
{
    static const char *const why[] = {[LEAVING] = "the tool is about to leave it",
        [DETACHED] = "the tool has left it by PIN_DetachProbed", [COMING] = "the tool is just coming back to it",
        [ENDING] = "the tool is about to leave it", [ENDED] = "the tool has left it already"};
    typeof(state) is = ATTACHED;
    if (!__atomic_compare_exchange_n(&state, &is, ENDING, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return why[is];
    probed_keep_detach();
    bool out = probe_place_all_and_visit(false, thread_left);
    if (out && !adopt_count())
        thread_left(); /* this one, which is the program's */
    if (out)
        probed_watch_signals(false);
    if (out && probed_claim_end())
        end_tool();
    __atomic_store_n(&state, out ? ENDED : ATTACHED, __ATOMIC_SEQ_CST);
    return out ? NULL : "its threads cannot be stopped (ptrace), so its functions stay led to the tool";
}

/* A thread of the program's does what the launcher asks for; the next one by another way. */
static u64 on_errand(struct probe *p)
{
    native_take_errands(0, 0);
    native_errand(probed_forks ? "it is just making a child; try again"
                               : native_visits() ? "it is a child of vfork, in its parent's memory" : NULL);
    if (!probed_over)
        probed_take_errands();
    return p->code.resume;
}

void probed_take_errands(void)
{
    u64 at, back;
    if (probe_make_visit(on_errand, &at, &back))
        native_take_errands(at, back);
}

void probed_detach_init(void) { os_events.native_leaves = leave_for_good; }

static void come(void)
{
    client_lock();
    come_fn(come_arg);
    probed_begin();
    jit_lock();
    probed_later = true;
    native_rescan();
    image_load_all();
    probed_later = false;
    jit_unlock();
    client_unlock();
    if (!probe_place_all_and_visit(true, thread_came))
        msg("PIN_AttachProbed: the program's threads cannot be stopped, so there are no probes");
    probed_watch_signals(true);
    __atomic_store_n(&state, ATTACHED, __ATOMIC_SEQ_CST);
    callbacks_start();
}

static void ask(void);

static void want_leave(void)
{
    do {
        typeof(state) is = ATTACHED;
        if (__atomic_compare_exchange_n(&state, &is, LEAVING, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ask();
        if (is != COMING)
            return;
        __atomic_store_n(&leave_next, true, __ATOMIC_SEQ_CST);
    } while (__atomic_load_n(&state, __ATOMIC_SEQ_CST) != COMING &&
             __atomic_exchange_n(&leave_next, false, __ATOMIC_SEQ_CST));
}

static void *serve(void *arg)
{
    agent_await_attach();
    for (;;) {
        hostevent_wait(&work, HOSTEVENT_FOREVER);
        hostevent_clear(&work);
        if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == LEAVING)
            leave();
        if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == COMING)
            come();
        if (__atomic_exchange_n(&leave_next, false, __ATOMIC_SEQ_CST))
            want_leave();
    }
    return arg;
}

static void ask(void)
{
    pthread_t thread;
    if (!__atomic_exchange_n(&works, true, __ATOMIC_SEQ_CST) && pthread_create(&thread, NULL, serve, NULL))
        die(1, "PIN_DetachProbed: out of memory for a thread");
    hostevent_set(&work);
}

VOID PIN_DetachProbed(void)
{
    if (!os_native)
        api_misuse(__func__, NULL, 0, "it is for probe mode (PIN_StartProgramProbed)");
    want_leave();
}

ATTACH_STATUS PIN_AttachProbed(ATTACH_PROBED_CALLBACK fun, VOID *v)
{
    typeof(state) is = DETACHED;
    if (!os_native)
        api_misuse(__func__, NULL, 0, "it is for probe mode (PIN_StartProgramProbed)");
    come_fn = fun;
    come_arg = v;
    if (!__atomic_compare_exchange_n(&state, &is, COMING, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return ATTACH_FAILED_DETACH;
    ask();
    return ATTACH_INITIATED;
}

/* In a child of fork: the thread is not there. What it was at work on is not done. */
void probed_detach_after_fork(void)
{
    works = false;
    hostevent_clear(&work);
    if (!adopt_count() && !probed_over)
        probed_take_errands();
    if (state == LEAVING || state == COMING)
        ask();
    if (state == ENDING) { /* the agent is not there either */
        state = ATTACHED;
        end_claimed = false;
    }
}

bool probed_detach_has_callbacks(void) { return detached != NULL; }

PIN_CALLBACK PIN_AddDetachFunctionProbed(DETACH_PROBED_CALLBACK fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&detached, (void *)fun, v);
}

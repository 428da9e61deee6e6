/* SPDX-License-Identifier: Apache-2.0
 * The tool's functions for the start and the end of the system and of its processors, and for instrumentation. A
 * processor is a thread of Pin's. All under the client lock, which is recursive. */
#include "api/callback_list.h"
#include "api/results.h"
#include "api/usage.h"
#include "jit/instrument.h"
#include "system/system.h"
#include "vm/client.h"

#include <pthread.h>
#include <stdlib.h>

typedef void process_fn(void *);
typedef void fini_fn(int, void *);
typedef void thread_fn(u32, void *, int, void *);

static struct tool_callback *app_start, *prepare_fini, *fini, *fini_unlocked, *thread_start, *thread_end, *results;
struct tool_callback *instrument_callbacks[INSTRUMENT_KINDS];
static bool exiting;

/* --- the lock --- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static __thread u32 held;

void client_lock(void)
{
    pthread_mutex_lock(&lock);
    held++;
}

void client_unlock(void)
{
    held--;
    pthread_mutex_unlock(&lock);
}

bool client_held(void) { return held; }

/* --- lists --- */

static struct tool_callback *add(struct tool_callback **list, void *fn, void *arg)
{
    usage_need_init(NULL);
    struct tool_callback *c = malloc(sizeof *c), **at = list;
    if (!c)
        die(1, "no memory for the tool's callbacks");
    while (*at)
        at = &(*at)->next;
    *c = (struct tool_callback){.fn = fn, .arg = arg, .list = list};
    return *at = c;
}

void *PIN_AddApplicationStartFunction(void *fn, void *arg) { return add(&app_start, fn, arg); }
void *PIN_AddPrepareForFiniFunction(void *fn, void *arg) { return add(&prepare_fini, fn, arg); }
void *PIN_AddFiniFunction(void *fn, void *arg) { return add(&fini, fn, arg); }
void *PIN_AddFiniUnlockedFunction(void *fn, void *arg) { return add(&fini_unlocked, fn, arg); }
void *PIN_AddThreadStartFunction(void *fn, void *arg) { return add(&thread_start, fn, arg); }
void *PIN_AddThreadFiniFunction(void *fn, void *arg) { return add(&thread_end, fn, arg); }
void *INS_AddInstrumentFunction(void *fn, void *arg) { return add(&instrument_callbacks[INSTRUMENT_INS], fn, arg); }
void *TRACE_AddInstrumentFunction(void *fn, void *arg) { return add(&instrument_callbacks[INSTRUMENT_TRACE], fn, arg); }
void *lp_add_results_function(lp_results_fn *fn, void *arg) { return add(&results, (void *)fn, arg); }
u32 lp_generation(void) { return 0; }
u32 lp_run(void) { return 0; }
const char *lp_recording(void) { return ""; }

/* A guest forks, but the tool sees all its processes: QEMU itself never does. */
void *PIN_AddForkFunction(int point, void *fn, void *arg)
{
    static struct tool_callback *never;
    (void)point;
    return add(&never, fn, arg);
}

int PIN_IsProcessExiting(void) { return __atomic_load_n(&exiting, __ATOMIC_RELAXED); }

/* --- processors --- */

static void call_thread(struct tool_callback *list, u32 cpu, u32 thread)
{
    u32 was = cpu_now;
    cpu_now = cpu;
    for (struct tool_callback *c = list; c; c = c->next)
        ((thread_fn *)c->fn)(thread, &cpus[cpu], 0, c->arg);
    cpu_now = was;
}

void cpu_begins_thread(u32 cpu, u32 thread) { call_thread(thread_start, cpu, thread); }

static void start_system(void)
{
    static bool started;
    for (struct tool_callback *c = started ? NULL : app_start; c; c = c->next)
        ((process_fn *)c->fn)(c->arg);
    started = true;
}

/* QEMU tells of one once; one that is taken out and put in again has its number again. */
void cpu_starts(u32 number)
{
    ASSERT(number < MAX_CPUS);
    client_lock();
    start_system();
    if (!cpus[number].started) {
        cpus[number].number = cpus[number].thread = number;
        cpus[number].started = true;
        buffers_start(number);
        call_thread(thread_start, number, number);
    }
    client_unlock();
}

static void give_results(void)
{
    struct lp_results_info info = {.why = LP_RESULTS_EXIT};
    for (struct tool_callback *c = results; c; c = c->next)
        ((lp_results_fn *)c->fn)(&info, c->arg);
}

/* From exit, on whatever thread calls it; other processors may still run. The tool's destructors come later. */
void callbacks_system_ends(void)
{
    client_lock();
    if (exiting) { /* by a fault in what follows */
        client_unlock();
        return;
    }
    __atomic_store_n(&exiting, true, __ATOMIC_RELAXED);
    for (struct tool_callback *c = prepare_fini; c; c = c->next)
        ((process_fn *)c->fn)(c->arg);
    for (u32 i = 0; i < cpu_most; i++)
        if (cpus[i].started) {
            buffers_end(i);
            call_thread(thread_end, i, i);
        }
    tasks_end();
    for (u32 i = 0; i < tasks_count(); i++)
        call_thread(thread_end, 0, MAX_CPUS + i);
    give_results();
    for (struct tool_callback *c = fini; c; c = c->next)
        ((fini_fn *)c->fn)(0, c->arg);
    client_unlock();
    for (struct tool_callback *c = fini_unlocked; c; c = c->next)
        ((fini_fn *)c->fn)(0, c->arg);
    guest_ends();
    symbols_end();
}

/* SPDX-License-Identifier: Apache-2.0
 * Thread identity, tool TLS, and small services. Usable from analysis routines on any guest thread. */
#include "vm/client.h"
#include "context.h"
#include "opt/objects.h"
#include "api/callbacks.h"
#include "api/tool.h"
#include "arch/arch.h"
#include "jit/jit.h"
#include "jit/requests.h"
#include "opt/spread.h"
#include "os/os.h"
#include "os/hostmem.h"
#include "vm/pause.h"
#include "vm/stop.h"
#include "os/thread.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 8192
#define MAX_KEYS 64
#define INVALID_KEY (-1)

typedef void destructor(void *);

static struct {
    destructor *destroy;
    bool used;
} keys[MAX_KEYS];
static void *(*values)[MAX_KEYS]; /* [MAX_THREADS], made with the first key */

u32 PIN_ThreadId(void) { return vm_tc.has_id ? vm_tc.id : ~0u; }
u64 PIN_ThreadUid(void) { return vm_tc.has_id ? vm_tc.uid : ~0ul; }
int PIN_IsApplicationThread(void) { return vm_tc.os.sigs != NULL; }
u32 PIN_GetInitialThreadCount(void) { return adopt_count() ? adopt_count() : 1; }
int PIN_GetPid(void) { return getpid(); }
u32 PIN_GetTid(void) { return adopt_tid(); }
/* The thread that made this one, where the program has made it itself. */
u32 PIN_GetParentTid(void) { return vm_tc.os.parent_tid ? (u32)vm_tc.os.parent_tid : ~0u; }
/* True: something waits for the thread to be in the VM: a signal, the end of the process, a stop of all threads, a
 * change of the cache. */
static int waits(const struct thread *t)
{
    return __atomic_load_n(&t->os.pending, __ATOMIC_RELAXED) || vm_stop_requested || pause_wanted(t) ||
           jit_requests_wait;
}

int PIN_IsActionPending(u32 tid)
{
    int found = vm_tc.has_id && vm_tc.id == tid, pending = found ? waits(&vm_tc) : 0;
    if (found)
        return pending;
    thread_list_lock();
    for (const struct thread *t = thread_first(); t; t = t->next)
        if (t->has_id && t->id == tid)
            found = 1, pending = waits(t);
    thread_list_unlock();
    if (!found)
        api_misuse("PIN_IsActionPending", NULL, 0, "there is no thread %u", tid);
    return pending;
}

int PIN_IsAmxActive(u32 tid)
{
    int active = 0;
    thread_list_lock();
    for (const struct thread *t = thread_first(); t; t = t->next)
        if (t->has_id && t->id == tid)
            active = context_amx_active(&t->cpu);
    thread_list_unlock();
    return active;
}

/* Adds what other threads have counted to the tool's counters (opt/spread.h): the caller may wait for them. */
static void bring_counts(void)
{
    if (spread_used)
        spread_flush();
}

void PIN_Yield(void)
{
    sched_yield();
    bring_counts();
}

void PIN_Sleep(u32 ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t))
        ;
    bring_counts();
}

int PIN_CreateThreadDataKey(destructor *destroy)
{
    if (!values && !(values = hostmem_map(MAX_THREADS * sizeof *values, PROT_READ | PROT_WRITE)))
        return INVALID_KEY;
    for (int i = 0; i < MAX_KEYS; i++)
        if (!__atomic_exchange_n(&keys[i].used, true, __ATOMIC_ACQ_REL)) {
            keys[i].destroy = destroy;
            return i;
        }
    return INVALID_KEY;
}

int PIN_DeleteThreadDataKey(int key)
{
    if (key < 0 || key >= MAX_KEYS || !keys[key].used)
        return 0;
    for (u32 i = 0; i < MAX_THREADS; i++) /* the number may be used again */
        if (values[i][key])
            values[i][key] = NULL;
    keys[key].destroy = NULL;
    __atomic_store_n(&keys[key].used, false, __ATOMIC_RELEASE);
    return 1;
}

/* ~0: the calling thread. */
static u32 thread_or_own(u32 thread) { return thread == ~0u ? PIN_ThreadId() : thread; }

int PIN_SetThreadData(int key, void *value, u32 thread)
{
    thread = thread_or_own(thread);
    if (key < 0 || key >= MAX_KEYS || !keys[key].used || thread >= MAX_THREADS)
        return 0;
    values[thread][key] = value;
    return 1;
}

void *PIN_GetThreadData(int key, u32 thread)
{
    thread = thread_or_own(thread);
    return key < 0 || key >= MAX_KEYS || !keys[key].used || thread >= MAX_THREADS ? NULL : values[thread][key];
}

void tool_thread_data_begin(void)
{
    u32 id = PIN_ThreadId();
    if (values && id < MAX_THREADS)
        /* A child of fork may use a number again whose thread never ended there. */
        memset(values[id], 0, sizeof values[id]);
}

bool tool_thread_data_used(void) { return values != NULL; }

void tool_thread_data_end(u32 id)
{
    for (int i = 0; values && id < MAX_THREADS && i < MAX_KEYS; i++) {
        void *v = values[id][i];
        if (!v || !keys[i].used || !keys[i].destroy)
            continue; /* what has no destructor stays, because fini functions ask for the data of all threads */
        values[id][i] = NULL;
        keys[i].destroy(v);
    }
}

static void begin_with(void *context) { context_give(&vm_tc.cpu, context); }

/* A thread of the program that the program has not made: it begins with the registers that the tool gives. */
int PIN_SpawnApplicationThread(const struct bridge_state *c)
{
    if (!context_valid(c) || c->kind == CONTEXT_PHYSICAL)
        api_misuse("PIN_SpawnApplicationThread", NULL, 0, "the context is not one of the application's");
    if (jit_lock_held())
        api_misuse("PIN_SpawnApplicationThread", NULL, 0, "instrumentation functions may not call it");
    return os_spawn_thread(begin_with, (void *)c) > 0;
}

void PIN_ExitApplication(int status)
{
    const char *where = callbacks_ending();
    if (where)
        api_misuse("PIN_ExitApplication", NULL, 0, "It is prohibited to call PIN_ExitApplication() from %s function",
                   where);
    vm_leave_translation();
    client_release(); /* another thread may be ending the process already, and want both locks */
    os_process_exit(status);
}

extern FILE *_IO_list_all; /* libc's list of all streams */

/* A stream that somebody has locked, maybe for ever, is not written. */
void PIN_ExitProcess(int status)
{
    for (FILE *f = _IO_list_all; f; f = f->_chain)
        if (!ftrylockfile(f)) {
            fflush_unlocked(f);
            funlockfile(f);
        }
    if (adopt_count())
        adopt_end_program(status);
    _exit(status);
}

/* SPDX-License-Identifier: Apache-2.0
 * Registration and calling of fini, thread start and thread fini functions, and of the instrumentation functions of traces and instructions. Lists only grow; registered before the guest runs
 * or from callbacks. */
#include "api/callbacks.h"

#include "api/tool.h"
#include "arch/x86/context.h"
#include "jit/instrument.h"
#include "vm/thread.h"

#include <stdlib.h>
#include <string.h>

struct callback {
    void *fn, *arg;
    struct callback *next;
};

static struct callback *fini, *thread_start, *thread_end;

static void *add(struct callback **list, void *fn, void *arg)
{
    struct callback *c = malloc(sizeof *c);
    if (!c)
        die(1, "out of memory for callbacks");
    *c = (struct callback){fn, arg, NULL};
    while (*list)
        list = &(*list)->next;
    __atomic_store_n(list, c, __ATOMIC_RELEASE);
    return c;
}

void *PIN_AddFiniFunction(void *fn, void *arg) { return add(&fini, fn, arg); }
void *PIN_AddFiniUnlockedFunction(void *fn, void *arg) { return add(&fini, fn, arg); }
void *PIN_AddThreadStartFunction(void *fn, void *arg) { return add(&thread_start, fn, arg); }
void *PIN_AddThreadFiniFunction(void *fn, void *arg) { return add(&thread_end, fn, arg); }

void *INS_AddInstrumentFunction(void *fn, void *arg)
{
    instrument_add(INSTRUMENT_INS, (instrument_fn *)fn, arg);
    return fn;
}

void *TRACE_AddInstrumentFunction(void *fn, void *arg)
{
    instrument_add(INSTRUMENT_TRACE, (instrument_fn *)fn, arg);
    return fn;
}

void callbacks_fini(int status)
{
    for (struct callback *c = fini; c; c = c->next)
        ((void (*)(int, void *))c->fn)(status, c->arg);
    fini = NULL;
}

/* The context a thread starts or ends with: its registers in the VM. */
static void *own_context(void)
{
    struct cpu_state *c = &vm_tc.cpu;
    context_take(&c->bridge, c);
    return &c->bridge;
}

void tool_thread_start(void)
{
    for (struct callback *c = thread_start; c; c = c->next)
        ((void (*)(u32, void *, int, void *))c->fn)(vm_tc.id, own_context(), 0, c->arg);
}

void tool_thread_end(int code)
{
    for (struct callback *c = thread_end; c; c = c->next)
        ((void (*)(u32, void *, int, void *))c->fn)(vm_tc.id, own_context(), code, c->arg);
    tool_thread_data_end();
}

/* SPDX-License-Identifier: Apache-2.0
 * Faults in analysis routines and callbacks: the handlers that the tool has set up for a stretch of code (PIN_TryStart)
 * and for all of it, innermost first, and the message when nobody handles it. Runs in the signal handler of the thread
 * that faulted, on its signal stack, asynchronous signals blocked. Rule A16. */
#include "api/try.h"

#include "api/callback_list.h"
#include "api/callbacks.h"
#include "api/exceptions.h"
#include "opt/objects.h"
#include "arch/arch.h"
#include "jit/jit.h"
#include "os/hostsym.h"
#include "os/events.h"
#include "os/os.h"
#include "os/thread.h"

#include <link.h>

#define MAX_TRIES 32
#define STACK_WORDS 4096 /* searched for the tool's function that called what faulted */

typedef EXCEPT_HANDLING_RESULT handler_fn(THREADID, EXCEPTION_INFO *, PHYSICAL_CONTEXT *, void *);

static __thread struct {
    struct {
        handler_fn *fn;
        void *arg;
    } at[MAX_TRIES];
    u32 depth;
    u32 running; /* handlers of this thread that run now */
} tries;
static struct tool_callback *handlers;

VOID PIN_TryStart(THREADID tid, handler_fn *fun, VOID *v)
{
    if (tid != vm_tc.id)
        api_misuse(__func__, NULL, 0, "%u is not the calling thread's number", tid);
    if (tries.depth == MAX_TRIES)
        api_misuse(__func__, NULL, 0, "more than %u calls without PIN_TryEnd", MAX_TRIES);
    tries.at[tries.depth].fn = fun;
    tries.at[tries.depth++].arg = v;
}

VOID PIN_TryEnd(THREADID tid)
{
    if (tid != vm_tc.id || !tries.depth)
        api_misuse(__func__, NULL, 0, "no PIN_TryStart on this thread before it");
    tries.depth--;
}

PIN_CALLBACK PIN_AddInternalExceptionHandler(handler_fn *fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&handlers, (void *)fun, v);
}

void try_abandon(void)
{
    if (tries.running)
        os_leave_handler();
    tries.depth = tries.running = 0;
}

/* --- handlers ----------------------------------------------------------------------------------------------------- */

static EXCEPT_HANDLING_RESULT ask(EXCEPTION_INFO *info, struct bridge_state *state)
{
    EXCEPT_HANDLING_RESULT r = EHR_CONTINUE_SEARCH;
    for (u32 i = tries.depth; i && r == EHR_CONTINUE_SEARCH; i--)
        r = tries.at[i - 1].fn(vm_tc.id, info, (PHYSICAL_CONTEXT *)state, tries.at[i - 1].arg);
    CALLBACKS_EACH(c, handlers)
        if (r == EHR_CONTINUE_SEARCH)
            r = ((handler_fn *)c->fn)(vm_tc.id, info, (PHYSICAL_CONTEXT *)state, c->arg);
    return r;
}

/* True: handled, and the frame is where the thread goes on. */
static bool __attribute__((noinline)) handle(struct sigframe *f, EXCEPTION_INFO *info)
{
    struct bridge_state state;
    state.kind = CONTEXT_PHYSICAL;
    os_frame_read(f, &state);
    tries.running++;
    bool handled = ask(info, &state) == EHR_HANDLED;
    tries.running--;
    if (handled)
        os_frame_write(f, &state);
    return handled;
}

/* --- nobody handles it -------------------------------------------------------------------------------------------- */

static u64 tool_start, tool_end; /* its code */

static bool is_tool(u64 pc) { return pc >= tool_start && pc < tool_end; }

/* The first return address into the tool, 0: none. */
static u64 find_caller(u64 sp)
{
    u64 word;
    for (u32 i = 0; i < STACK_WORDS && os_safe_copy(&word, (void *)(sp + i * 8), 8) == 8; i++)
        if (is_tool(word - 1))
            return word - 1;
    return 0;
}

static void describe(char *out, size_t room, u64 pc, const struct hostsym *s)
{
    if (!s->module[0])
        base_format(out, room, "host code at 0x%lx", pc);
    else if (s->name[0])
        base_format(out, room, "%s (%s + 0x%lx)", s->name, hostsym_base_name(s), s->offset);
    else
        base_format(out, room, "%s + 0x%lx", hostsym_base_name(s), s->offset);
}

/* The guest's pc; if the thread is not in the cache, the VM has it. */
static u64 guest_pc(void)
{
    u64 pc = vm_tc.vm.epoch == ~0ul ? 0 : jit_call_site(vm_tc.cpu.host_sp);
    return pc ? pc : arch_pc(&vm_tc.cpu);
}

struct where {
    char at[512], by[512]; /* by: the tool's function, if it has called something else */
};

/* False: it is in the engine, and nothing of the tool has called it. */
static bool find_where(struct where *w, u64 pc, u64 sp)
{
    static struct hostsym where, caller; /* large, and the signal stack is not; one thread reports */
    u64 from = is_tool(pc) ? 0 : find_caller(sp);
    hostsym_find(pc, &where);
    describe(w->at, sizeof w->at, pc, &where);
    w->by[0] = 0;
    if (from && hostsym_find(from, &caller))
        describe(w->by, sizeof w->by, from, &caller);
    return !where.engine || from;
}

/* False: it is the engine's own bug, not the tool's. */
static bool report(const struct os_host_fault *f, const EXCEPTION_INFO *info)
{
    struct where w;
    if (!find_where(&w, f->pc, f->sp))
        return false;
    char text[1400];
    base_format(text, sizeof text, "the tool faulted with signal %d in %s%s%s; thread %u, guest pc 0x%lx. %s", f->sig,
                w.at, w.by[0] ? ", called from " : "", w.by, vm_tc.id, guest_pc(), exception_text(info));
    pin_lead = "Tool (or Pin) caused signal; Location may be in in-lined analysis code, try re-running with "
               "'-inline 0' to debug it: ";
    report_error("C", text);
    return true;
}

/* The tool's function comes first: it is what a user knows. */
static void say_where(char *out, size_t room, u64 pc, u64 sp)
{
    struct where w;
    find_where(&w, pc, sp);
    if (w.by[0])
        base_format(out, room, "%s, which has called %s", w.by, w.at);
    else
        base_format(out, room, "%s", w.at);
}

static bool on_host_fault(struct sigframe *f, const struct os_host_fault *fault)
{
    static bool reporting;
    EXCEPTION_INFO exception;
    exception_from_fault(&exception, &fault->info, fault->pc);
    if ((tries.depth || handlers) && !tries.running && handle(f, &exception))
        return true;
    if (!__atomic_exchange_n(&reporting, true, __ATOMIC_RELAXED) && !report(fault, &exception))
        return false;
    os_die_by_signal(fault->sig);
}

static int note_tool(struct dl_phdr_info *m, size_t bytes, void *inside)
{
    (void)bytes;
    for (u32 i = 0; i < m->dlpi_phnum; i++) {
        u64 start = m->dlpi_addr + m->dlpi_phdr[i].p_vaddr, end = start + m->dlpi_phdr[i].p_memsz;
        if (m->dlpi_phdr[i].p_type == PT_LOAD && (u64)inside >= start && (u64)inside < end) {
            tool_start = start;
            tool_end = end;
            return 1;
        }
    }
    return 0;
}

void try_tool_loaded(void *function) { dl_iterate_phdr(note_tool, function); }

void try_init(void)
{
    os_events.host_fault = on_host_fault;
    os_events.say_where = say_where;
}

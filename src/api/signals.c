/* SPDX-License-Identifier: Apache-2.0
 * Signals: the tool's interceptors, its functions for changes of context, and the older pair for the start and end of
 * handlers; exceptions that the tool raises. The OS layer says when (os/events.h). Callbacks run on the thread that
 * gets the signal, under the client lock. Rules A13, A14. */
#include "api/callbacks.h"
#include "api/callback_list.h"
#include "api/exceptions.h"
#include "api/reattach.h"
#include "opt/objects.h"
#include "api/tool.h"
#include "api/try.h"
#include "jit/jit.h"
#include "os/events.h"
#include "os/thread.h"
#include "vm/vm.h"

#include <string.h>

#define SIGNALS 64

typedef BOOL intercept_fn(THREADID, INT32, CONTEXT *, BOOL, const EXCEPTION_INFO *, void *);
typedef BOOL old_intercept_fn(THREADID, INT32, CONTEXT *, BOOL, void *);
typedef void change_fn(THREADID, CONTEXT_CHANGE_REASON, const CONTEXT *, CONTEXT *, INT32, void *);
typedef void before_fn(THREADID, INT32, const CONTEXT *, const CONTEXT *, void *);
typedef void after_fn(THREADID, const CONTEXT *, const CONTEXT *, void *);

static struct interceptor {
    intercept_fn *fn;
    old_intercept_fn *old_fn;
    void *arg;
} interceptors[SIGNALS + 1];

static struct tool_callback *changes, *befores, *afters;

/* --- interception ----------------------------------------------------------------------------------------------- */

static bool on_signal(const siginfo_t *info, bool has_handler)
{
    struct bridge_state state;
    EXCEPTION_INFO exception;
    struct os_fault_info fault;
    int sig = info->si_signo;
    client_lock();
    struct interceptor i = interceptors[sig];
    bool pass = true;
    if (i.fn || i.old_fn) {
        callbacks_context(&state, &vm_tc.cpu);
        bool is_fault = os_signal_fault(info, &fault);
        if (is_fault)
            exception_from_fault(&exception, &fault, state.pc);
        pass = i.fn ? i.fn(vm_tc.id, sig, (CONTEXT *)&state, has_handler, is_fault ? &exception : NULL, i.arg)
                    : i.old_fn(vm_tc.id, sig, (CONTEXT *)&state, has_handler, i.arg);
        context_give(&vm_tc.cpu, &state);
    }
    client_unlock();
    return pass;
}

static bool can_intercept(INT32 sig) { return sig >= 1 && sig <= SIGNALS && sig != SIGKILL && sig != SIGSTOP; }

static BOOL set_interceptor(INT32 sig, struct interceptor i)
{
    if (!can_intercept(sig))
        return false;
    client_lock();
    interceptors[sig] = i;
    client_unlock();
    if (i.fn || i.old_fn) {
        os_events.signal = on_signal;
        os_signal_watch(sig);
    }
    return true;
}

void signals_forget(void)
{
    client_lock();
    memset(interceptors, 0, sizeof interceptors);
    client_unlock();
}

BOOL PIN_InterceptSignal(INT32 sig, intercept_fn *fun, VOID *v)
{
    return set_interceptor(sig, (struct interceptor){fun, NULL, v});
}
BOOL PIN_AddSignalInterceptFunction(INT32 sig, old_intercept_fn *fun, VOID *v)
{
    return set_interceptor(sig, (struct interceptor){NULL, fun, v});
}

BOOL PIN_UnblockSignal(INT32 sig, BOOL open)
{
    if (!can_intercept(sig))
        return false;
    os_signal_unblock(sig, open);
    return true;
}

/* --- changes of context ------------------------------------------------------------------------------------------ */

static void tell_change(THREADID tid, CONTEXT_CHANGE_REASON why, const CONTEXT *from, CONTEXT *to, INT32 info)
{
    client_lock();
    CALLBACKS_EACH(c, changes)
        ((change_fn *)c->fn)(tid, why, from, to, info, c->arg);
    if (why == CONTEXT_CHANGE_REASON_SIGNAL)
        CALLBACKS_EACH(c, befores)
            ((before_fn *)c->fn)(tid, info, from, to, c->arg);
    if (why == CONTEXT_CHANGE_REASON_SIGRETURN)
        CALLBACKS_EACH(c, afters)
            ((after_fn *)c->fn)(tid, from, to, c->arg);
    client_unlock();
}

static void on_change(enum os_change why, const struct cpu_state *from, struct cpu_state *to, int sig)
{
    static const CONTEXT_CHANGE_REASON reasons[] = {[OS_CHANGE_FATAL] = CONTEXT_CHANGE_REASON_FATALSIGNAL,
        [OS_CHANGE_SIGNAL] = CONTEXT_CHANGE_REASON_SIGNAL, [OS_CHANGE_SIGRETURN] = CONTEXT_CHANGE_REASON_SIGRETURN};
    struct bridge_state before, after;
    callbacks_context(&before, from);
    if (to)
        callbacks_context(&after, to);
    tell_change(vm_tc.id, reasons[why], (CONTEXT *)&before, to ? (CONTEXT *)&after : NULL, sig);
    if (to)
        context_give(to, &after);
}

#define SHELL_SIGNAL 128 /* + the signal: what a shell says of a program that a signal has ended */

/* The tool is told, then the guest goes on at the context, or the program ends as by the signal. A57 */
VOID PIN_ReplayContextChange(THREADID tid, const CONTEXT *from, CONTEXT *to, CONTEXT_CHANGE_REASON why, INT32 info)
{
    tell_change(tid, why, from, to, info);
    if (to)
        PIN_ExecuteAt((const struct bridge_state *)to);
    PIN_ExitApplication(SHELL_SIGNAL + info);
}

static void *add(struct tool_callback **list, void *fn, void *arg)
{
    void *c = tool_callback_add(list, fn, arg);
    os_events.context_change = on_change;
    return c;
}

PIN_CALLBACK PIN_AddContextChangeFunction(change_fn *fun, VOID *v)
{
    os_signal_watch(0); /* so that the tool hears of fatal signals */
    return add(&changes, (void *)fun, v);
}

BOOL PIN_AddSignalBeforeFunction(before_fn *fun, VOID *v) { return add(&befores, (void *)fun, v) != NULL; }
BOOL PIN_AddSignalAfterFunction(after_fn *fun, VOID *v) { return add(&afters, (void *)fun, v) != NULL; }

/* --- exceptions of the tool's ------------------------------------------------------------------------------------- */

static void fault_from_exception(struct os_fault_info *f, const EXCEPTION_INFO *info)
{
    static const u8 kinds[] = {
        [EXCEPTCODE_ACCESS_INVALID_ADDRESS] = FAULT_UNMAPPED, [EXCEPTCODE_ACCESS_DENIED] = FAULT_DENIED,
        [EXCEPTCODE_ACCESS_INVALID_PAGE] = FAULT_NO_PAGE,
        [EXCEPTCODE_ACCESS_MISALIGNED] = FAULT_MISALIGNED, [EXCEPTCODE_ILLEGAL_INS] = FAULT_ILLEGAL,
        [EXCEPTCODE_PRIVILEGED_INS] = FAULT_PRIVILEGED,
        [EXCEPTCODE_INT_DIVIDE_BY_ZERO] = FAULT_INT_DIVIDE, [EXCEPTCODE_INT_OVERFLOW_TRAP] = FAULT_INT_OVERFLOW,
        [EXCEPTCODE_INT_BOUNDS_EXCEEDED] = FAULT_BOUNDS,
        [EXCEPTCODE_X87_DIVIDE_BY_ZERO] = FAULT_X87, [EXCEPTCODE_X87_OVERFLOW] = FAULT_X87,
        [EXCEPTCODE_X87_UNDERFLOW] = FAULT_X87, [EXCEPTCODE_X87_INEXACT_RESULT] = FAULT_X87,
        [EXCEPTCODE_X87_INVALID_OPERATION] = FAULT_X87, [EXCEPTCODE_X87_DENORMAL_OPERAND] = FAULT_X87,
        [EXCEPTCODE_X87_STACK_ERROR] = FAULT_X87,
        [EXCEPTCODE_SIMD_DIVIDE_BY_ZERO] = FAULT_SIMD, [EXCEPTCODE_SIMD_OVERFLOW] = FAULT_SIMD,
        [EXCEPTCODE_SIMD_UNDERFLOW] = FAULT_SIMD,
        [EXCEPTCODE_SIMD_INEXACT_RESULT] = FAULT_SIMD, [EXCEPTCODE_SIMD_INVALID_OPERATION] = FAULT_SIMD,
        [EXCEPTCODE_SIMD_DENORMAL_OPERAND] = FAULT_SIMD,
        [EXCEPTCODE_DBG_BREAKPOINT_TRAP] = FAULT_BREAKPOINT, [EXCEPTCODE_DBG_SINGLE_STEP_TRAP] = FAULT_STEP,
        [EXCEPTCODE_RECEIVED_ACCESS_FAULT] = FAULT_PROTECTION,
        [EXCEPTCODE_RECEIVED_AMBIGUOUS_X87] = FAULT_X87, [EXCEPTCODE_RECEIVED_AMBIGUOUS_SIMD] = FAULT_SIMD,
    };
    static const u8 fp[] = {FAULT_FP_DIVIDE, FAULT_FP_OVERFLOW, FAULT_FP_UNDERFLOW, FAULT_FP_INEXACT, FAULT_FP_INVALID,
        FAULT_FP_INVALID, FAULT_FP_STACK};
    u32 code = info->code < ARRAY_LEN(kinds) ? info->code : EXCEPTCODE_RECEIVED_ACCESS_FAULT;
    memset(f, 0, sizeof *f);
    f->kind = kinds[code];
    if (code >= EXCEPTCODE_X87_DIVIDE_BY_ZERO && code <= EXCEPTCODE_SIMD_DENORMAL_OPERAND)
        f->fp = fp[code < EXCEPTCODE_SIMD_DIVIDE_BY_ZERO ? code - EXCEPTCODE_X87_DIVIDE_BY_ZERO
                                                         : code - EXCEPTCODE_SIMD_DIVIDE_BY_ZERO];
    f->has_address = info->has_access_address;
    f->address = info->access_address;
    f->access = (u8)info->access_type;
}

/* Does not return: the guest goes on in its handler, or dies. */
VOID PIN_RaiseException(const CONTEXT *ctxt, THREADID tid, const EXCEPTION_INFO *info)
{
    const struct bridge_state *state = (const struct bridge_state *)ctxt;
    struct os_fault_info fault;
    if (!context_valid(state) || state->kind == CONTEXT_PHYSICAL)
        api_misuse(__func__, NULL, 0, "the context is not one of the application's");
    if (tid != vm_tc.id || !vm_tc.vm.run_frame || jit_lock_held())
        api_misuse(__func__, NULL, 0, "only analysis routines and callbacks may call it, for their own thread");
    if (!info || info->code == EXCEPTCODE_NONE)
        api_misuse(__func__, NULL, 0, "there is no exception in the exception information");
    fault_from_exception(&fault, info);
    context_give(&vm_tc.cpu, state);
    client_release();
    try_abandon();
    vm_abandon_step();
    fault_raise(&fault);
    vm_redispatch();
}

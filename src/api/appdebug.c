/* SPDX-License-Identifier: Apache-2.0
 * The tool and the debugger: breakpoints that the tool asks for, its commands at gdb's prompt, its say in breakpoints
 * and stops, registers that it emulates, and what it may ask of the connection (DB10 to DB12). Owns the tool's
 * functions. They run on the debugger's thread while the guest stands still, but for those of stops, which run on the
 * thread that stops; all under the client lock. */
#include "api/appdebug.h"
#include "api/callback_list.h"
#include "base/options.h"
#include "context.h"
#include "debug/debugger.h"
#include "jit/jit.h"
#include "linchpin/api_text.h"
#include "linchpin/reg.h"
#include "os/hostmem.h"
#include "os/thread.h"
#include "vm/client.h"
#include "vm/pause.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 3

static struct tool_callback *interpreters, *handlers;
static struct {
    INTERCEPT_DEBUGGING_EVENT_CALLBACK fn;
    VOID *arg;
} intercepts[EVENTS];
static bool program_runs;

/* --- questions ---------------------------------------------------------------------------------------------------- */

void appdebug_program_starts(void) { program_runs = true; }

DEBUG_STATUS PIN_GetDebugStatus(void)
{
    if (!debug_mode.on)
        return DEBUG_STATUS_DISABLED;
    if (!program_runs)
        return DEBUG_STATUS_UNCONNECTABLE;
    return debug_connected() ? DEBUG_STATUS_CONNECTED : DEBUG_STATUS_UNCONNECTED;
}

DEBUGGER_TYPE PIN_GetDebuggerType(void)
{
    static const DEBUGGER_TYPE type[] = {[DEBUGGER_IS_UNKNOWN] = DEBUGGER_TYPE_UNKNOWN,
        [DEBUGGER_IS_GDB] = DEBUGGER_TYPE_GDB, [DEBUGGER_IS_LLDB] = DEBUGGER_TYPE_LLDB};
    return debug_connected() ? type[debug_type()] : DEBUGGER_TYPE_UNKNOWN;
}

BOOL PIN_GetDebugConnectionInfo(DEBUG_CONNECTION_INFO *info)
{
    if (!debug_mode.on)
        return false;
    *info = (DEBUG_CONNECTION_INFO){._stopAtEntry = debug_mode.stop};
    if (debug_mode.host) {
        info->_type = DEBUG_CONNECTION_TYPE_TCP_CLIENT;
        info->_tcpClient = (LP_TCP_CLIENT){debug_mode.host, (INT32)debug_mode.port};
    } else if (!debug_mode.path) {
        info->_type = DEBUG_CONNECTION_TYPE_TCP_SERVER;
        info->_tcpServer._tcpPort = (INT32)debug_mode.port;
    }
    return true;
}

/* 0: as long as it takes. */
BOOL PIN_WaitForDebuggerToConnect(unsigned ms)
{
    return debug_mode.on && debug_wait_connected(ms ? ms : ~0u);
}

static struct thread *find(u32 tid)
{
    for (u32 i = 0; i < pause_count(); i++)
        if (pause_nth(i)->id == tid)
            return pause_nth(i);
    return NULL;
}

BOOL PIN_IsThreadStoppedInDebugger(THREADID tid)
{
    const struct thread *t = find(tid);
    return t && debug_is_stopped(t);
}

/* --- breakpoints of the tool -------------------------------------------------------------------------------------- */

VOID PIN_ApplicationBreakpoint(const CONTEXT *ctxt, THREADID tid, BOOL wait, const CHAR *message)
{
    (void)tid;
    if (!vm_tc.vm.run_frame || jit_lock_held() || client_held())
        api_misuse("PIN_ApplicationBreakpoint", NULL, 0,
                   "it cannot be called from a callback, nor while the thread holds the client lock");
    if (!debug_mode.on || (!debug_connected() && !wait))
        return;
    debug_stop_here(message);
    PIN_ExecuteAt(ctxt);
}

BOOL PIN_GetStoppedThreadPendingToolBreakpoint(THREADID tid, const CHAR **message)
{
    const struct thread *t = find(tid);
    if (!t || t->debug.event != EVENT_TOOL || t->debug.told)
        return false;
    if (message)
        *message = t->debug.message ? t->debug.message : "";
    return true;
}

BOOL PIN_ChangePendingToolBreakpointOnStoppedThread(THREADID tid, BOOL squash, const CHAR *message)
{
    struct thread *t = find(tid);
    if (!PIN_GetStoppedThreadPendingToolBreakpoint(tid, NULL))
        return false;
    debug_change_stop(t, squash ? NULL : message);
    return true;
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static bool command(struct thread *t, struct bridge_state *s, const char *text, const char **result)
{
    bool done = false;
    client_lock();
    for (struct tool_callback *c = interpreters, *next; c && !done; c = next) {
        next = c->next;
        *result = "";
        done = ((LP_DEBUG_INTERPRETER_CALLBACK)c->fn)(t->id, (CONTEXT *)s, text, result, c->arg);
    }
    client_unlock();
    return done;
}

PIN_CALLBACK PIN_AddDebugInterpreter(LP_DEBUG_INTERPRETER_CALLBACK fun, VOID *v)
{
    debug_hooks.command = command;
    return (PIN_CALLBACK)tool_callback_add(&interpreters, (void *)fun, v);
}

VOID lp_remove_debug_interpreter(LP_DEBUG_INTERPRETER_CALLBACK fun, VOID *v)
{
    tool_callback_remove(&interpreters, (void *)fun, &v);
}

/* --- its say in breakpoints and stops ----------------------------------------------------------------------------- */

static bool takes_break(u64 at, u64 bytes, bool insert)
{
    bool taken = false;
    client_lock();
    for (struct tool_callback *c = handlers; c && !taken; c = c->next)
        taken = ((DEBUG_BREAKPOINT_CALLBACK)c->fn)(at, (UINT)bytes, insert, c->arg);
    client_unlock();
    return taken;
}

PIN_CALLBACK PIN_AddBreakpointHandler(DEBUG_BREAKPOINT_CALLBACK fun, VOID *v)
{
    debug_hooks.takes_break = takes_break;
    return (PIN_CALLBACK)tool_callback_add(&handlers, (void *)fun, v);
}

VOID PIN_RemoveBreakpointHandler(DEBUG_BREAKPOINT_CALLBACK fun)
{
    tool_callback_remove(&handlers, (void *)fun, NULL);
}

VOID PIN_ResetBreakpointAt(ADDRINT address) { debug_reset_break(address); }

/* True: the debugger is to hear of it. */
static bool intercept(enum debug_intercept event, u32 tid, struct bridge_state *s)
{
    static const DEBUGGING_EVENT number[] = {[INTERCEPT_BREAK] = DEBUGGING_EVENT_BREAKPOINT,
        [INTERCEPT_STEP] = DEBUGGING_EVENT_SINGLE_STEP, [INTERCEPT_ASYNC] = DEBUGGING_EVENT_ASYNC_BREAK};
    if (!intercepts[event].fn)
        return true;
    client_lock();
    bool told = intercepts[event].fn(tid, number[event], (CONTEXT *)s, intercepts[event].arg);
    client_unlock();
    return told;
}

VOID PIN_InterceptDebuggingEvent(DEBUGGING_EVENT event, INTERCEPT_DEBUGGING_EVENT_CALLBACK fun, VOID *v)
{
    if ((unsigned)event >= EVENTS)
        api_misuse("PIN_InterceptDebuggingEvent", NULL, 0, "there is no event %d", (int)event);
    intercepts[event].arg = v;
    intercepts[event].fn = fun;
    debug_hooks.intercept = intercept;
}

/* --- emulated registers ------------------------------------------------------------------------------------------- */

static struct {
    const DEBUGGER_REG_DESCRIPTION *reg;
    u32 n;
    GET_EMULATED_REGISTER_CALLBACK get;
    SET_EMULATED_REGISTER_CALLBACK set;
    LP_GET_TARGET_DESCRIPTION_CALLBACK describe;
    VOID *arg;
} emulator;

static u32 emulated_bytes(u32 n) { return n < emulator.n ? (emulator.reg[n]._widthInBits + 7) / 8 : 0; }

static void emulated_get(struct thread *t, struct bridge_state *s, u32 n, void *out)
{
    const DEBUGGER_REG_DESCRIPTION *r = &emulator.reg[n];
    u8 whole[DEBUG_EMULATED_BYTES] = {0};
    client_lock();
    if (r->_pinReg == REG_NONE)
        emulator.get(r->_toolRegId, t->id, (CONTEXT *)s, whole, emulator.arg);
    else
        context_read(s, r->_pinReg, whole);
    client_unlock();
    memcpy(out, whole, emulated_bytes(n));
}

static bool emulated_set(struct thread *t, struct bridge_state *s, u32 n, const void *in)
{
    const DEBUGGER_REG_DESCRIPTION *r = &emulator.reg[n];
    u8 whole[DEBUG_EMULATED_BYTES] = {0};
    bool done = true;
    memcpy(whole, in, emulated_bytes(n));
    client_lock();
    if (r->_pinReg == REG_NONE)
        emulator.set(r->_toolRegId, t->id, (CONTEXT *)s, whole, emulator.arg);
    else
        done = context_write(s, r->_pinReg, whole);
    client_unlock();
    return done;
}

/* From malloc; NULL: there is no such document. */
static char *emulated_text(const char *name)
{
    USIZE bytes = emulator.describe ? emulator.describe(name, 0, NULL, emulator.arg) : 0;
    char *text = bytes ? calloc(1, bytes + 1) : NULL;
    if (text)
        emulator.describe(name, bytes, text, emulator.arg);
    return text;
}

VOID PIN_AddDebuggerRegisterEmulator(UINT count, const DEBUGGER_REG_DESCRIPTION *regs,
                                     GET_EMULATED_REGISTER_CALLBACK get, SET_EMULATED_REGISTER_CALLBACK set,
                                     LP_GET_TARGET_DESCRIPTION_CALLBACK description, VOID *v)
{
    DEBUGGER_REG_DESCRIPTION *copy = calloc(count + 1, sizeof *copy);
    if (!copy)
        hostmem_die("emulated registers");
    memcpy(copy, regs, count * sizeof *copy);
    for (u32 i = 0; i < count; i++)
        if (copy[i]._widthInBits > DEBUG_EMULATED_BYTES * 8)
            api_misuse("PIN_AddDebuggerRegisterEmulator", NULL, 0, "a register of %u bits is too wide",
                       copy[i]._widthInBits);
    emulator.reg = copy;
    emulator.n = count;
    emulator.get = get;
    emulator.set = set;
    emulator.describe = description;
    emulator.arg = v;
    debug_hooks.reg_bytes = emulated_bytes;
    debug_hooks.reg_get = emulated_get;
    debug_hooks.reg_set = emulated_set;
    debug_hooks.description = emulated_text;
}

/* --- how the debugger is reached ---------------------------------------------------------------------------------- */

/* False: too late. */
BOOL PIN_SetDebugMode(const DEBUG_MODE *mode)
{
    if (program_runs)
        return false;
    debug_end();
    debug_mode = (struct debug_mode){.on = mode->_type != DEBUG_CONNECTION_TYPE_NONE,
        .stop = mode->_options & DEBUG_MODE_OPTION_STOP_AT_ENTRY, .silent = mode->_options & DEBUG_MODE_OPTION_SILENT,
        .remote = mode->_options & DEBUG_MODE_OPTION_ALLOW_REMOTE};
    if (mode->_type == DEBUG_CONNECTION_TYPE_TCP_CLIENT) {
        debug_mode.host = strdup(mode->_tcpClient._ip ? mode->_tcpClient._ip : "");
        debug_mode.port = (u32)mode->_tcpClient._tcpPort;
    }
    debug_open();
    return true;
}

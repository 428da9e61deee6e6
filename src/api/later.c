/* SPDX-License-Identifier: Apache-2.0
 * Names of the API whose part is not there yet: probe mode, the debugger, replay. They are defined, so that a tool that
 * calls them only on a path that it does not take can be loaded. Questions are answered truthfully; registrations that
 * Pin accepts without a debugger are accepted, with one message, and nothing is ever called; whatever would have to act
 * stops with a message. All are weak: a real definition takes their place. No state but what has been said. Rule
 * A48. */
#include "opt/objects.h"
#include "linchpin/api_text.h"

#define LATER __attribute__((weak))
#define UNUSED __attribute__((unused))

static const char PROBES[] = "probe mode is not there yet; use PIN_StartProgram and the calls of JIT mode";
static const char DEBUGGER[] = "no debugger can be connected yet";
static const char REPLAY[] = "replay is not there yet";

static void stop(const char *call, const char *why) NORETURN;
static void stop(const char *call, const char *why)
{
    api_misuse(call, NULL, 0, "%s", why);
}

/* Once for each process, however many functions. */
static void say_once(const char *call)
{
    static bool said;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        msg("%s: %s: it will not be called", call, DEBUGGER);
}

/* --- probe mode --------------------------------------------------------------------------------------------------- */

#define STOP(type, name, why, ...) LATER type name(__VA_ARGS__) { stop(#name, why); }

STOP(VOID, PIN_StartProgramProbed, PROBES, void)
STOP(VOID, PIN_DetachProbed, PROBES, void)
STOP(ATTACH_STATUS, PIN_AttachProbed, PROBES, ATTACH_PROBED_CALLBACK f UNUSED, VOID *v UNUSED)
STOP(PIN_CALLBACK, PIN_AddDetachFunctionProbed, PROBES, DETACH_PROBED_CALLBACK f UNUSED, VOID *v UNUSED)
STOP(PIN_CALLBACK, PIN_AddThreadAttachProbedFunction, PROBES, THREAD_ATTACH_PROBED_CALLBACK f UNUSED, VOID *v UNUSED)
STOP(PIN_CALLBACK, PIN_AddThreadDetachProbedFunction, PROBES, THREAD_DETACH_PROBED_CALLBACK f UNUSED, VOID *v UNUSED)
STOP(PIN_CALLBACK, PIN_AddForkFunctionProbed, PROBES, FPOINT p UNUSED, FORK_PROBE_MODE_CALLBACK f UNUSED,
     VOID *v UNUSED)
STOP(PIN_CALLBACK, PIN_AddProbesInsertedFunction, PROBES, PROBES_INSERTED_CALLBACK f UNUSED, VOID *v UNUSED)
STOP(AFUNPTR, RTN_ReplaceProbed, PROBES, RTN r UNUSED, AFUNPTR f UNUSED)
STOP(AFUNPTR, RTN_ReplaceProbedEx, PROBES, RTN r UNUSED, PROBE_MODE m UNUSED, AFUNPTR f UNUSED)
STOP(AFUNPTR, RTN_ReplaceSignatureProbed, PROBES, RTN r UNUSED, AFUNPTR f UNUSED, ...)
STOP(AFUNPTR, RTN_ReplaceSignatureProbedEx, PROBES, RTN r UNUSED, PROBE_MODE m UNUSED, AFUNPTR f UNUSED, ...)
STOP(BOOL, RTN_InsertCallProbed, PROBES, RTN r UNUSED, IPOINT p UNUSED, AFUNPTR f UNUSED, ...)
STOP(BOOL, RTN_InsertCallProbedEx, PROBES, RTN r UNUSED, IPOINT p UNUSED, PROBE_MODE m UNUSED, AFUNPTR f UNUSED, ...)
STOP(BOOL, PIN_InsertCallProbed, PROBES, ADDRINT a UNUSED, AFUNPTR f UNUSED, ...)
STOP(INT32, RTN_CodeRangesProbed, PROBES, RTN r UNUSED, INT32 n UNUSED, PIN_CODE_RANGE *ranges UNUSED)

/* Nothing can be probed, so nothing is safe for it. */
LATER BOOL RTN_IsSafeForProbedReplacement(RTN r UNUSED) { return false; }
LATER BOOL RTN_IsSafeForProbedReplacementEx(RTN r UNUSED, PROBE_MODE m UNUSED) { return false; }
LATER BOOL RTN_IsSafeForProbedInsertion(RTN r UNUSED) { return false; }
LATER BOOL RTN_IsSafeForProbedInsertionEx(RTN r UNUSED, PROBE_MODE m UNUSED) { return false; }
LATER BOOL PIN_IsSafeForProbedInsertion(ADDRINT a UNUSED) { return false; }

/* --- the debugger ------------------------------------------------------------------------------------------------- */

LATER DEBUG_STATUS PIN_GetDebugStatus(void) { return DEBUG_STATUS_DISABLED; }
LATER DEBUGGER_TYPE PIN_GetDebuggerType(void) { return DEBUGGER_TYPE_UNKNOWN; }
LATER BOOL PIN_GetDebugConnectionInfo(DEBUG_CONNECTION_INFO *info UNUSED) { return false; }
LATER BOOL PIN_WaitForDebuggerToConnect(unsigned ms UNUSED) { return false; } /* at once: nothing is to be waited for */
LATER BOOL PIN_IsThreadStoppedInDebugger(THREADID tid UNUSED) { return false; }
LATER BOOL PIN_GetStoppedThreadPendingToolBreakpoint(THREADID tid UNUSED, const CHAR **message UNUSED) { return false; }
LATER BOOL PIN_ChangePendingToolBreakpointOnStoppedThread(THREADID tid UNUSED, BOOL squash UNUSED,
                                                          const CHAR *message UNUSED)
{
    return false;
}

/* A tool that wants a debugger ends here, because FALSE would mean that it has asked too late. A tool that wants none
 * gets what it wants. */
LATER BOOL PIN_SetDebugMode(const DEBUG_MODE *mode)
{
    if (mode && mode->_type != DEBUG_CONNECTION_TYPE_NONE)
        stop(__func__, DEBUGGER);
    return true;
}

#define ACCEPT(name, ...) LATER PIN_CALLBACK name(__VA_ARGS__) { say_once(#name); return (PIN_CALLBACK)fun; }
ACCEPT(PIN_AddDebugInterpreter, LP_DEBUG_INTERPRETER_CALLBACK fun, VOID *v UNUSED)
ACCEPT(PIN_AddBreakpointHandler, DEBUG_BREAKPOINT_CALLBACK fun, VOID *v UNUSED)
LATER VOID lp_remove_debug_interpreter(LP_DEBUG_INTERPRETER_CALLBACK fun UNUSED, VOID *v UNUSED) {}
LATER VOID PIN_RemoveBreakpointHandler(DEBUG_BREAKPOINT_CALLBACK fun UNUSED) {}
LATER VOID PIN_ResetBreakpointAt(ADDRINT address UNUSED) {} /* there is none */
LATER VOID PIN_InterceptDebuggingEvent(DEBUGGING_EVENT event UNUSED, INTERCEPT_DEBUGGING_EVENT_CALLBACK fun,
                                       VOID *v UNUSED)
{
    if (fun)
        say_once(__func__);
}
LATER VOID PIN_AddDebuggerRegisterEmulator(UINT count UNUSED, const DEBUGGER_REG_DESCRIPTION *regs UNUSED,
                                           GET_EMULATED_REGISTER_CALLBACK get UNUSED,
                                           SET_EMULATED_REGISTER_CALLBACK set UNUSED,
                                           LP_GET_TARGET_DESCRIPTION_CALLBACK description UNUSED, VOID *v UNUSED)
{
    say_once(__func__);
}
STOP(VOID, PIN_ApplicationBreakpoint, DEBUGGER, const CONTEXT *ctxt UNUSED, THREADID tid UNUSED, BOOL wait UNUSED,
     const CHAR *message UNUSED)

/* --- replay ------------------------------------------------------------------------------------------------------- */

STOP(VOID, PIN_SetReplayMode, REPLAY, UINT32 mode UNUSED)
STOP(VOID, PIN_ReplayContextChange, REPLAY, THREADID tid UNUSED, const CONTEXT *from UNUSED, CONTEXT *to UNUSED,
     CONTEXT_CHANGE_REASON why UNUSED, INT32 info UNUSED)
STOP(VOID, PIN_ReplaySyscallEntry, REPLAY, THREADID tid UNUSED, CONTEXT *ctxt UNUSED, SYSCALL_STANDARD std UNUSED)
STOP(VOID, PIN_ReplaySyscallExit, REPLAY, THREADID tid UNUSED, CONTEXT *ctxt UNUSED, SYSCALL_STANDARD std UNUSED)
STOP(IMG, PIN_ReplayImageLoad, REPLAY, const char *file UNUSED, const char *name UNUSED, ADDRINT address UNUSED,
     REPLAY_IMAGE_TYPE type UNUSED)
STOP(VOID, PIN_ReplayImageUnload, REPLAY, IMG img UNUSED)
STOP(BOOL, PIN_SpawnApplicationThread, REPLAY, const CONTEXT *ctxt UNUSED)
STOP(IMG, IMG_CreateAt, REPLAY, const char *file UNUSED, ADDRINT start UNUSED, USIZE bytes UNUSED,
     ADDRINT offset UNUSED, BOOL main_image UNUSED)
STOP(VOID, IMG_ReplayImageLoad, REPLAY, IMG img UNUSED)
STOP(VOID, IMG_ReplayImageUnload, REPLAY, IMG img UNUSED)
STOP(VOID, IMG_SetLoaderInfo, REPLAY, IMG img UNUSED, VOID *info UNUSED)
LATER VOID *IMG_GetLoaderInfo(IMG img UNUSED) { return NULL; } /* none was set */
/* The engine keeps no reserve of the program's memory. */
LATER BOOL PIN_WasMemoryReservedInLoadTime(void) { return false; }

/* SPDX-License-Identifier: Apache-2.0
 * Names whose part is not there yet. Setting call=NAME: that one is called, and has to end the process; without: the questions, and registrations that nobody will ever call. Rule A48. */
#include "checks.h"

static VOID Nothing() {}
static VOID WithArgument(VOID *) {}
static BOOL Interpreter(THREADID, CONTEXT *, const std::string &, std::string *, VOID *) { return FALSE; }
static BOOL Breakpoint(ADDRINT, UINT, BOOL, VOID *) { return FALSE; }
static BOOL Event(THREADID, DEBUGGING_EVENT, CONTEXT *, VOID *) { return TRUE; }
static VOID Get(UINT, THREADID, CONTEXT *, VOID *, VOID *) {}
static VOID Set(UINT, THREADID, CONTEXT *, const VOID *, VOID *) {}
static VOID Attached(VOID *, VOID *) {}
static VOID Forked(UINT32, VOID *) {}
static VOID Probes(IMG, VOID *) {}

#define CASE(name, ...)                      \
    if (call == #name) {                     \
        name(__VA_ARGS__);                   \
        std::printf(#name " came back\n");   \
        return;                              \
    }

static void Probe(const std::string &call)
{
    RTN rtn = RTN_Invalid();
    AFUNPTR fun = AFUNPTR(Nothing);
    PIN_CODE_RANGE range;
    CASE(PIN_StartProgramProbed)
    CASE(PIN_DetachProbed)
    CASE(PIN_AttachProbed, WithArgument, 0)
    CASE(PIN_AddDetachFunctionProbed, WithArgument, 0)
    CASE(PIN_AddThreadAttachProbedFunction, Attached, 0)
    CASE(PIN_AddThreadDetachProbedFunction, WithArgument, 0)
    CASE(PIN_AddForkFunctionProbed, FPOINT_BEFORE, Forked, 0)
    CASE(PIN_AddProbesInsertedFunction, Probes, 0)
    CASE(RTN_ReplaceProbed, rtn, fun)
    CASE(RTN_ReplaceProbedEx, rtn, PROBE_MODE_DEFAULT, fun)
    CASE(RTN_ReplaceSignatureProbed, rtn, fun, IARG_END)
    CASE(RTN_ReplaceSignatureProbedEx, rtn, PROBE_MODE_DEFAULT, fun, IARG_END)
    CASE(RTN_InsertCallProbed, rtn, IPOINT_BEFORE, fun, IARG_END)
    CASE(RTN_InsertCallProbedEx, rtn, IPOINT_BEFORE, PROBE_MODE_DEFAULT, fun, IARG_END)
    CASE(PIN_InsertCallProbed, 0, fun, IARG_END)
    CASE(RTN_CodeRangesProbed, rtn, 1, &range)
}

static void Replay(const std::string &call)
{
    IMG img = IMG_Invalid();
    CASE(PIN_SetReplayMode, 1)
    CASE(PIN_ReplayContextChange, 0, 0, 0, CONTEXT_CHANGE_REASON_SIGNAL, 0)
    CASE(PIN_ReplaySyscallEntry, 0, 0, SYSCALL_STANDARD_IA32E_LINUX)
    CASE(PIN_ReplaySyscallExit, 0, 0, SYSCALL_STANDARD_IA32E_LINUX)
    CASE(PIN_ReplayImageLoad, "a", "b", 0, REPLAY_IMAGE_TYPE_REGULAR)
    CASE(PIN_ReplayImageUnload, img)
    CASE(PIN_SpawnApplicationThread, 0)
    CASE(IMG_CreateAt, "a", 0, 0, 0, FALSE)
    CASE(IMG_ReplayImageLoad, img)
    CASE(IMG_ReplayImageUnload, img)
    CASE(IMG_SetLoaderInfo, img, 0)
    CASE(PIN_ApplicationBreakpoint, 0, 0, FALSE, "here")
}

static void Questions()
{
    RTN rtn = RTN_Invalid();
    FALSE_(RTN_IsSafeForProbedReplacement(rtn));
    FALSE_(RTN_IsSafeForProbedReplacementEx(rtn, PROBE_MODE_ALLOW_RELOCATION));
    FALSE_(RTN_IsSafeForProbedInsertion(rtn));
    FALSE_(RTN_IsSafeForProbedInsertionEx(rtn, PROBE_MODE_ALLOW_RELOCATION));
    FALSE_(PIN_IsSafeForProbedInsertion(at("at_end")));
    FALSE_(PIN_IsProbeMode());
    FALSE_(PIN_IsAttaching());
    EQUAL(PIN_GetDebugStatus(), DEBUG_STATUS_DISABLED);
    EQUAL(PIN_GetDebuggerType(), DEBUGGER_TYPE_UNKNOWN);
    DEBUG_CONNECTION_INFO info;
    FALSE_(PIN_GetDebugConnectionInfo(&info));
    FALSE_(PIN_WaitForDebuggerToConnect(0));
    FALSE_(PIN_IsThreadStoppedInDebugger(0));
    std::string text;
    FALSE_(PIN_GetStoppedThreadPendingToolBreakpoint(0, &text));
    FALSE_(PIN_ChangePendingToolBreakpointOnStoppedThread(0, TRUE, "x"));
    DEBUG_MODE mode;
    std::memset(&mode, 0, sizeof mode);
    mode._type = DEBUG_CONNECTION_TYPE_NONE;
    TRUE_(PIN_SetDebugMode(&mode));
    FALSE_(PIN_WasMemoryReservedInLoadTime());
    EQUAL(IMG_GetLoaderInfo(IMG_Invalid()), static_cast<VOID *>(0));
}

/* One message for all of them. */
static void Registrations()
{
    TRUE_(PIN_AddDebugInterpreter(Interpreter, 0) != PIN_CALLBACK_INVALID);
    TRUE_(PIN_AddBreakpointHandler(Breakpoint, 0) != PIN_CALLBACK_INVALID);
    PIN_RemoveDebugInterpreter(Interpreter);
    PIN_RemoveBreakpointHandler(Breakpoint);
    PIN_ResetBreakpointAt(at("at_end"));
    PIN_InterceptDebuggingEvent(DEBUGGING_EVENT_BREAKPOINT, Event, 0);
    DEBUGGER_REG_DESCRIPTION none;
    std::memset(&none, 0, sizeof none);
    PIN_AddDebuggerRegisterEmulator(1, &none, Get, Set, 0, 0);
}

static VOID Fini(INT32, VOID *) { Checked("later", 15); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (const char *call = option("call")) {
        Probe(call);
        Replay(call);
        std::printf("%s is unknown here\n", call);
        return 0;
    }
    Questions();
    if (option("register"))
        Registrations();
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

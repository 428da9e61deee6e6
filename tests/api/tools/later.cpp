/* SPDX-License-Identifier: Apache-2.0
 * Names whose part is not there yet, and those of the debugger where there is none. Setting call=NAME: that one is called, and has to end the process; without: the questions, and registrations that nobody will ever call. Rule A48. */
#include "checks.h"

static VOID Nothing() {}
static VOID WithArgument(VOID *) {}
static BOOL Interpreter(THREADID, CONTEXT *, const std::string &, std::string *, VOID *) { return FALSE; }
static BOOL Breakpoint(ADDRINT, UINT, BOOL, VOID *) { return FALSE; }
static BOOL Event(THREADID, DEBUGGING_EVENT, CONTEXT *, VOID *) { return TRUE; }
static VOID Get(UINT, THREADID, CONTEXT *, VOID *, VOID *) {}
static VOID Set(UINT, THREADID, CONTEXT *, const VOID *, VOID *) {}
static VOID Attached(VOID *, VOID *) {}

#define CASE(name, ...)                      \
    if (call == #name) {                     \
        name(__VA_ARGS__);                   \
        std::printf(#name " came back\n");   \
        return;                              \
    }

static void Replay(const std::string &call)
{
    IMG img = IMG_Invalid();
    CASE(PIN_SetReplayMode, 1)
    CASE(PIN_ReplayImageLoad, "a", "b", 0, REPLAY_IMAGE_TYPE_REGULAR)
    CASE(PIN_ReplayImageUnload, img)
    CASE(IMG_CreateAt, "a", 0, 0, 0, FALSE)
    CASE(IMG_ReplayImageLoad, img)
    CASE(IMG_ReplayImageUnload, img)
    CASE(IMG_SetLoaderInfo, img, 0)
    CASE(PIN_ApplicationBreakpoint, 0, 0, FALSE, "here")
}

static void Questions()
{
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

/* Accepted without a debugger; nobody will ever call them. */
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

static VOID Fini(INT32, VOID *) { Checked("later", 10); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (const char *call = option("call")) {
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

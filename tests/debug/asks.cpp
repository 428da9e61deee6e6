/* SPDX-License-Identifier: Apache-2.0
 * A test of the API of the debugger, as a tool: commands, breakpoints of its own, its say in others and in stops. */
#include "pin.H"

#include <cstdio>
#include <cstring>
#include <set>
#include <sstream>

static KNOB<std::string> KnobWhat(KNOB_MODE_WRITEONCE, "pintool", "what", "commands", "which part is tested");

static ADDRINT breakAt;   // the function twice of the guest
static ADDRINT takenAt;   // a breakpoint of the debugger's that the tool makes itself
static UINT32 calls, squashed, inserted;
static std::set<THREADID> others; // threads that were told to have been stopped with another one, or by request
static BOOL stopped;
static REG skip;

static std::string Status()
{
    static const char *const name[] = {"disabled", "unconnectable", "unconnected", "connected"};
    DEBUG_CONNECTION_INFO info;
    std::ostringstream os;
    os << name[PIN_GetDebugStatus()] << ", type " << PIN_GetDebuggerType() << ", info " << PIN_GetDebugConnectionInfo(&info) << ", stop at entry " << info._stopAtEntry;
    return os.str();
}

static BOOL Command(THREADID tid, CONTEXT *ctxt, const std::string &command, std::string *result, VOID *)
{
    if (command == "status") {
        *result = Status() + ", thread " + decstr(tid) + (PIN_IsThreadStoppedInDebugger(tid) ? " stopped\n" : " runs\n");
    } else if (command == "where") {
        *result = "in " + RTN_FindNameByAddress(PIN_GetContextReg(ctxt, REG_INST_PTR)) + ", " + decstr(PIN_GetStoppedThreadCount()) + " stopped, wait says " + decstr(PIN_WaitForDebuggerToConnect(1)) + "\n";
    } else if (command == "set") {
        PIN_SetContextReg(ctxt, REG_GDI, 50);
    } else if (command == "stop") {
        breakAt = RTN_Address(RTN_FindByName(APP_ImgHead(), "twice"));
        PIN_RemoveInstrumentation();
    } else if (command == "counts") {
        *result = "calls " + decstr(calls) + ", squashed " + decstr(squashed) + ", inserted " + decstr(inserted) + "\n";
    } else if (command == "others") {
        *result = decstr(others.size()) + " threads\n";
        others.clear();
    } else if (command == "reset") {
        PIN_RemoveBreakpointHandler(0);
        takenAt = 0;
    } else {
        return FALSE;
    }
    return TRUE;
}

static BOOL Never(THREADID, CONTEXT *, const std::string &, std::string *result, VOID *)
{
    *result = "it was removed\n";
    return TRUE;
}

static VOID Twice(CONTEXT *ctxt, THREADID tid)
{
    calls++;
    if (!breakAt || PIN_GetContextReg(ctxt, skip) == calls)
        return;
    if (stopped) {
        stopped = FALSE;
        return;
    }
    stopped = TRUE;
    PIN_ApplicationBreakpoint(ctxt, tid, FALSE, "the tool stops in twice");
}

/* The first call of add waits for a debugger. */
static VOID Wait(CONTEXT *ctxt, THREADID tid)
{
    if (stopped)
        return;
    stopped = TRUE;
    std::printf("the tool waits\n");
    std::fflush(stdout);
    PIN_ApplicationBreakpoint(ctxt, tid, TRUE, "the tool stops in add");
}

static VOID Ins(INS ins, VOID *)
{
    RTN rtn = INS_Rtn(ins);
    if (RTN_Valid(rtn) && RTN_Name(rtn) == "twice" && INS_Address(ins) == RTN_Address(rtn))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Twice), IARG_CONTEXT, IARG_THREAD_ID, IARG_END);
    if (KnobWhat.Value() == "wait" && RTN_Valid(rtn) && RTN_Name(rtn) == "add" && INS_Address(ins) == RTN_Address(rtn))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Wait), IARG_CONTEXT, IARG_THREAD_ID, IARG_END);
}

/* The tool takes breakpoints in add, and never stops there. */
static BOOL Break(ADDRINT at, UINT, BOOL insert, VOID *)
{
    if (RTN_FindNameByAddress(at) != "add")
        return FALSE;
    inserted += insert;
    takenAt = insert ? at : 0;
    return TRUE;
}

/* Breakpoints in factorial are kept from the debugger twice. */
static BOOL Event(THREADID, DEBUGGING_EVENT event, CONTEXT *ctxt, VOID *)
{
    if (event != DEBUGGING_EVENT_BREAKPOINT || RTN_FindNameByAddress(PIN_GetContextReg(ctxt, REG_INST_PTR)) != "factorial" || squashed == 2)
        return TRUE;
    squashed++;
    return FALSE;
}

static BOOL Other(THREADID tid, DEBUGGING_EVENT event, CONTEXT *ctxt, VOID *)
{
    if (event == DEBUGGING_EVENT_ASYNC_BREAK && PIN_GetContextReg(ctxt, REG_INST_PTR))
        others.insert(tid);
    return TRUE;
}

static VOID ThreadFini(THREADID tid, const CONTEXT *, INT32, VOID *)
{
    std::printf("the end of thread %u\n", tid);
    std::fflush(stdout);
}

static VOID Fini(INT32 code, VOID *)
{
    std::printf("the end, %d\n", code);
    std::fflush(stdout);
}

static VOID Get(UINT reg, THREADID, CONTEXT *ctxt, VOID *data, VOID *)
{
    ADDRINT v = reg == 1 ? PIN_GetContextReg(ctxt, REG_GAX) : 4711;
    std::memcpy(data, &v, sizeof v);
}

static VOID Set(UINT, THREADID, CONTEXT *ctxt, const VOID *data, VOID *)
{
    ADDRINT v;
    std::memcpy(&v, data, sizeof v);
    PIN_SetContextReg(ctxt, REG_GAX, v);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    skip = PIN_ClaimToolRegister();
    std::printf("before the start: %s\n", Status().c_str());
    std::fflush(stdout);
    PIN_AddDebugInterpreter(Never, 0);
    PIN_RemoveDebugInterpreter(Never);
    PIN_AddDebugInterpreter(Command, 0);
    INS_AddInstrumentFunction(Ins, 0);
    if (KnobWhat.Value() == "breaks") {
        PIN_AddBreakpointHandler(Break, 0);
        PIN_InterceptDebuggingEvent(DEBUGGING_EVENT_BREAKPOINT, Event, 0);
    }
    if (KnobWhat.Value() == "others") {
        PIN_InterceptDebuggingEvent(DEBUGGING_EVENT_ASYNC_BREAK, Other, 0);
        PIN_AddThreadFiniFunction(ThreadFini, 0);
        PIN_AddFiniFunction(Fini, 0);
    }
    (void)Get, (void)Set;
    PIN_StartProgram();
}

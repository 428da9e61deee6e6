/* SPDX-License-Identifier: Apache-2.0
 * PIN_ExitProcess ends the process with the status given, wherever the tool calls it (setting `where`), whatever locks
 * of the engine or of the tool's C library are held there. */
#include "golden.h"

#include <unistd.h>

static std::string where;
static volatile bool started;

static VOID End(const char *place)
{
    if (where == place)
        PIN_ExitProcess(7);
}

static VOID Analysis() { End("analysis"); }
static int Replacement() { return End("replacement"), 0; }
static VOID AtStart(VOID *) { End("start"), started = true; }
static VOID AtThread(THREADID, CONTEXT *, INT32, VOID *) { End("thread"); }
static VOID AtThreadEnd(THREADID, const CONTEXT *, INT32, VOID *) { End("thread_end"); }
static VOID AtCall(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *) { End("syscall"); }
static VOID AtReturn(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *) { End("syscall_exit"); }
static VOID AtPrepare(VOID *) { End("prepare"); }
static VOID AtFini(INT32, VOID *) { End("fini"); }
static VOID AtFork(THREADID, const CONTEXT *, VOID *) { End("fork"); }
static BOOL AtSignal(THREADID, INT32, CONTEXT *, BOOL, const EXCEPTION_INFO *, VOID *) { return End("signal"), TRUE; }
static VOID AtChange(THREADID, CONTEXT_CHANGE_REASON, const CONTEXT *, CONTEXT *, INT32, VOID *) { End("change"); }

static EXCEPT_HANDLING_RESULT AtFault(THREADID, EXCEPTION_INFO *, PHYSICAL_CONTEXT *, VOID *)
{
    End("exception");
    return EHR_UNHANDLED;
}

static VOID Fault()
{
    if (where == "exception")
        *(volatile int *)8 = 1;
}

static VOID Image(IMG img, VOID *)
{
    End("image");
    RTN r = RTN_FindByName(img, "replaced");
    if (RTN_Valid(r))
        RTN_Replace(r, AFUNPTR(Replacement));
}

static VOID Unload(IMG, VOID *) { End("unload"); }
static VOID Routine(RTN, VOID *) { End("routine"); }

static VOID Trace(TRACE trace, VOID *)
{
    End("trace");
    INS_InsertCall(BBL_InsHead(TRACE_BblHead(trace)), IPOINT_BEFORE, AFUNPTR(Analysis), IARG_END);
    TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Fault), IARG_END);
}

static VOID Instruction(INS, VOID *) { End("ins"); }
static VOID Inserted(TRACE, VOID *) { End("inserted"); }

/* Has the lock of a stream for ever. */
static VOID Holds(VOID *)
{
    while (!started)
        PIN_Yield();
    flockfile(stderr);
    End("internal");
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    where = option("where");
    End("main");
    PIN_AddApplicationStartFunction(AtStart, 0);
    PIN_AddThreadStartFunction(AtThread, 0);
    PIN_AddThreadFiniFunction(AtThreadEnd, 0);
    PIN_AddSyscallEntryFunction(AtCall, 0);
    PIN_AddSyscallExitFunction(AtReturn, 0);
    PIN_AddPrepareForFiniFunction(AtPrepare, 0);
    PIN_AddFiniFunction(AtFini, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, AtFork, 0);
    PIN_InterceptSignal(10, AtSignal, 0);
    PIN_AddContextChangeFunction(AtChange, 0);
    PIN_AddInternalExceptionHandler(AtFault, 0);
    IMG_AddInstrumentFunction(Image, 0);
    IMG_AddUnloadFunction(Unload, 0);
    RTN_AddInstrumentFunction(Routine, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    CODECACHE_AddTraceInsertedFunction(Inserted, 0);
    if (where != "nowhere" && where != "fork") // there the process ends as any does
        PIN_SpawnInternalThread(Holds, 0, 0, 0);
    PIN_StartProgram();
}

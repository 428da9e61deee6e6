/* SPDX-License-Identifier: Apache-2.0
 * Wants to hear of everything and changes nothing: system calls, signals, contexts, threads, forks, programs executed, calls before and after every system call instruction. The program must not notice. */
#include "pin.H"

static volatile UINT64 events;

static VOID Count() { events = events + 1; }
static VOID OnSyscall(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *) { Count(); }
static VOID OnChange(THREADID, CONTEXT_CHANGE_REASON, const CONTEXT *, CONTEXT *, INT32, VOID *) { Count(); }
static BOOL OnSignal(THREADID, INT32, CONTEXT *, BOOL, const EXCEPTION_INFO *, VOID *) { Count(); return true; }
static VOID OnFork(THREADID, const CONTEXT *, VOID *) { Count(); }
static BOOL OnChild(CHILD_PROCESS, VOID *) { return true; }
static VOID OnStart(THREADID, CONTEXT *, INT32, VOID *) { Count(); }
static VOID OnEnd(THREADID, const CONTEXT *, INT32, VOID *) { Count(); }
static VOID OnFini(INT32, VOID *) { Count(); }

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsSyscall(ins))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_END);
    if (INS_IsValidForIpointAfter(ins))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Count), IARG_END);
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    PIN_AddSyscallEntryFunction(OnSyscall, 0);
    PIN_AddSyscallExitFunction(OnSyscall, 0);
    PIN_AddContextChangeFunction(OnChange, 0);
    for (INT32 sig = 1; sig <= 64; sig++)
        PIN_InterceptSignal(sig, OnSignal, 0);
    PIN_AddForkFunction(FPOINT_BEFORE, OnFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, OnFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, OnFork, 0);
    PIN_AddFollowChildProcessFunction(OnChild, 0);
    PIN_AddThreadStartFunction(OnStart, 0);
    PIN_AddThreadFiniFunction(OnEnd, 0);
    PIN_AddFiniFunction(OnFini, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

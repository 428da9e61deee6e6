/* SPDX-License-Identifier: Apache-2.0
 * PIN_ReplaySyscallEntry and PIN_ReplaySyscallExit call the tool's functions for system calls, and nothing else.
 * PIN_ReplayContextChange calls those for changes of context; the program goes on at the context given, or ends.
 * PIN_SpawnApplicationThread makes a thread of the program, here with a context that was empty before. */
#include "golden.h"

static const ADDRINT getppid_number = 110;
static CONTEXT call, handled;
static bool has_call, playing;
static RTN thread_main;
static UINT32 ended;
static UINT64 stack[1024];

static VOID Entry(THREADID, CONTEXT *context, SYSCALL_STANDARD std, VOID *)
{
    if (PIN_GetSyscallNumber(context, std) != getppid_number)
        return;
    std::printf("system call %lu\n", PIN_GetSyscallNumber(context, std));
    PIN_SaveContext(context, &call);
    has_call = true;
}

static VOID Exit(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *)
{
    if (has_call)
        std::printf("its result\n");
    has_call = playing;
}

static VOID PlayCall(THREADID id)
{
    playing = true;
    PIN_ReplaySyscallEntry(id, &call, SYSCALL_STANDARD_IA32E_LINUX);
    PIN_ReplaySyscallExit(id, &call, SYSCALL_STANDARD_IA32E_LINUX);
    playing = has_call = false;
}

static VOID PlayThread()
{
    CONTEXT context;
    PIN_SetContextReg(&context, REG_STACK_PTR, ADDRINT(&stack[1000]));
    PIN_SetContextReg(&context, REG_INST_PTR, RTN_Address(thread_main));
    if (!PIN_SpawnApplicationThread(&context))
        std::printf("no thread\n");
}

static VOID Change(THREADID, CONTEXT_CHANGE_REASON why, const CONTEXT *, CONTEXT *to, INT32 sig, VOID *)
{
    if (why == CONTEXT_CHANGE_REASON_SIGNAL) {
        std::printf("signal %d to %s\n", sig, RTN_FindNameByAddress(PIN_GetContextReg(to, REG_INST_PTR)).c_str());
        PIN_SaveContext(to, &handled);
    }
    if (why == CONTEXT_CHANGE_REASON_FATALSIGNAL)
        std::printf("signal %d kills\n", sig);
}

static VOID PlaySignal(THREADID id, const CONTEXT *here) { PIN_ReplayContextChange(id, here, &handled, CONTEXT_CHANGE_REASON_SIGNAL, 10); }
static VOID PlayDeath(THREADID id, const CONTEXT *here) { PIN_ReplayContextChange(id, here, 0, CONTEXT_CHANGE_REASON_FATALSIGNAL, 10); }

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    thread_main = RTN_FindByName(img, "thread_main");
    RTN_InsertCall(RTN_FindByName(img, "play_syscall"), IPOINT_BEFORE, AFUNPTR(PlayCall), IARG_THREAD_ID, IARG_END);
    RTN_InsertCall(RTN_FindByName(img, "play_thread"), IPOINT_BEFORE, AFUNPTR(PlayThread), IARG_END);
    RTN_InsertCall(RTN_FindByName(img, "play_signal"), IPOINT_BEFORE, AFUNPTR(PlaySignal), IARG_THREAD_ID, IARG_CONST_CONTEXT, IARG_END);
    RTN_InsertCall(RTN_FindByName(img, "play_death"), IPOINT_BEFORE, AFUNPTR(PlayDeath), IARG_THREAD_ID, IARG_CONST_CONTEXT, IARG_END);
}

static VOID ThreadStart(THREADID id, CONTEXT *context, INT32, VOID *)
{
    std::printf("thread %u starts%s\n", id, id && PIN_GetContextReg(context, REG_INST_PTR) == RTN_Address(thread_main) ? " at thread_main" : "");
}

static VOID ThreadFini(THREADID, const CONTEXT *, INT32, VOID *) { ended++; }
static VOID Fini(INT32 status, VOID *) { std::printf("%u threads have ended, fini %d\n", ended, status); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddSyscallExitFunction(Exit, 0);
    PIN_AddContextChangeFunction(Change, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddThreadFiniFunction(ThreadFini, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

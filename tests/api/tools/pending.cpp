/* SPDX-License-Identifier: Apache-2.0
 * PIN_IsActionPending: a signal that waits, another thread that stops this one. PIN_IsAmxActive, PIN_GetInitialContextForUnwind. Rule A54. */
#include "golden.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

static PIN_SEMAPHORE waiting, seen;

static VOID Check(THREADID tid)
{
    std::printf("before %d", PIN_IsActionPending(tid));
    raise(SIGUSR1);
    std::printf(", with a signal %d\n", PIN_IsActionPending(tid));
    std::fflush(stdout);
}

static VOID Stopper(VOID *)
{
    PIN_SemaphoreWait(&waiting);
    THREADID own = PIN_ThreadId();
    if (!PIN_StopApplicationThreads(own))
        std::printf("could not stop\n");
    std::printf("stopped %u\n", PIN_GetStoppedThreadCount());
    PIN_ResumeApplicationThreads(own);
    PIN_SemaphoreSet(&seen);
}

/* The routine itself is what keeps it from being stopped. */
static VOID Wait(THREADID tid, CONTEXT *ctxt)
{
    PIN_SemaphoreSet(&waiting);
    while (!PIN_IsActionPending(tid))
        PIN_Yield();
    std::printf("asked to stop\n");
    PIN_SetContextReg(ctxt, REG_INST_PTR, at("at_on"));
    PIN_ExecuteAt(ctxt);
}

static VOID Unwind(THREADID tid, const CONTEXT *ctxt)
{
    ucontext_t u;
    PIN_SemaphoreWait(&seen);
    const greg_t *g = u.uc_mcontext.gregs;
    int r = PIN_GetInitialContextForUnwind(ctxt, &u);
    std::printf("unwind %d: pc %d sp %d rbx %d r15 %d; amx %d\n", r, (ADDRINT)g[16] == PIN_GetContextReg(ctxt, REG_INST_PTR), (ADDRINT)g[15] == PIN_GetContextReg(ctxt, REG_STACK_PTR),
                (ADDRINT)g[11] == PIN_GetContextReg(ctxt, REG_RBX), (ADDRINT)g[7] == PIN_GetContextReg(ctxt, REG_R15), PIN_IsAmxActive(tid));
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_signal"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Check), IARG_THREAD_ID, IARG_END);
    if (is_at(ins, "at_wait"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Wait), IARG_THREAD_ID, IARG_CONTEXT, IARG_END);
    if (is_at(ins, "at_on"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Unwind), IARG_THREAD_ID, IARG_CONST_CONTEXT, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_SemaphoreInit(&waiting);
    PIN_SemaphoreInit(&seen);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_SpawnInternalThread(Stopper, 0, 0, 0);
    PIN_StartProgram();
}

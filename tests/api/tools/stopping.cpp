/* SPDX-License-Identifier: Apache-2.0
 * Stops the other threads at at_stop, looks at them, and lets them go on. */
#include "golden.h"

static ADDRINT at_turns, at_spin, at_stop; /* option() is not for several threads */
static int stops, first, again, moved, found, wrong;

static VOID Stop(THREADID tid)
{
    volatile long *turns = (volatile long *)at_turns;
    if (!PIN_StopApplicationThreads(tid)) {
        wrong++;
        return;
    }
    stops++;
    again += PIN_StopApplicationThreads(tid);
    long before = *turns;
    UINT32 n = PIN_GetStoppedThreadCount();
    if (stops == 1)
        first = (int)n;
    for (UINT32 i = 0; i < n; i++) {
        THREADID other = PIN_GetStoppedThreadId(i);
        const CONTEXT *ctxt = PIN_GetStoppedThreadContext(other);
        if (other == tid || !ctxt || !PIN_GetContextReg(ctxt, REG_STACK_PTR) || !PIN_GetContextReg(ctxt, REG_SEG_FS_BASE)) {
            wrong++;
            continue;
        }
        ADDRINT pc = PIN_GetContextReg(ctxt, REG_INST_PTR);
        if (pc >= at_spin && pc < at_spin + 6) {
            found = 1;
            PIN_SetContextReg(PIN_GetStoppedThreadWriteableContext(other), REG_RBX, 7);
            PIN_SetContextReg(PIN_GetStoppedThreadWriteableContext(other), REG_INST_PTR, at_spin);
        }
    }
    wrong += PIN_GetStoppedThreadContext(tid) != 0 || PIN_GetStoppedThreadId(n) != INVALID_THREADID;
    for (volatile int i = 0; i < 20000; i++)
        moved += *turns != before;
    PIN_ResumeApplicationThreads(tid);
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_Address(ins) == at_stop)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Stop), IARG_THREAD_ID, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    std::printf("stopped %d times, %s threads at first, again %d, moved %d, spinning thread found %d, wrong %d\n", stops, first >= 5 ? "5 or more" : "too few", again, moved, found, wrong);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    at_turns = at("at_turns");
    at_spin = at("at_spin");
    at_stop = at("at_stop");
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

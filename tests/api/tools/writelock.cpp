/* SPDX-License-Identifier: Apache-2.0
 * The tool writes into code of the application while it holds a lock, and an instrumentation function on another
 * thread waits for that lock. */
#include "golden.h"

static UINT8 *const code = (UINT8 *)0x20000000;
static PIN_LOCK lock;
static volatile INT32 holds;  /* the part for which the lock is held */
static volatile INT32 inside; /* for which the instrumentation function has come */
static PIN_SEMAPHORE work, done;

static VOID Begin(INT32 part)
{
    PIN_GetLock(&lock, 1);
    holds = part;
    while (inside != part)
        PIN_Yield();
}

static VOID Store(UINT8 v) { *(volatile UINT8 *)(code + 1) = v; }

static VOID HoldAndStore()
{
    Begin(1);
    Store(7);
    PIN_ReleaseLock(&lock);
}

static VOID HoldAndCopy()
{
    UINT8 v = 20;
    Begin(2);
    if (PIN_SafeCopy(code + 1, &v, 1) != 1)
        std::printf("not copied\n");
    PIN_ReleaseLock(&lock);
}

static VOID Worker(VOID *)
{
    PIN_SemaphoreWait(&work);
    Begin(3);
    Store(30);
    PIN_ReleaseLock(&lock);
    PIN_SemaphoreSet(&done);
}

static VOID AskWorker()
{
    PIN_SemaphoreSet(&work);
    PIN_SemaphoreWait(&done);
}

static VOID Wait(UINT32 part)
{
    while (holds != (INT32)part)
        PIN_Yield();
}

static VOID Instruction(INS ins, VOID *)
{
    static const AFUNPTR hold[] = {AFUNPTR(HoldAndStore), AFUNPTR(HoldAndCopy), AFUNPTR(AskWorker)};
    static const CHAR *const names[][3] = {{"at_hold1", "at_wait1", "at_fresh1"},
                                           {"at_hold2", "at_wait2", "at_fresh2"},
                                           {"at_hold3", "at_wait3", "at_fresh3"}};
    for (UINT32 i = 0; i < 3; i++) {
        if (is_at(ins, names[i][0]))
            INS_InsertCall(ins, IPOINT_BEFORE, hold[i], IARG_END);
        if (is_at(ins, names[i][1]))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Wait), IARG_UINT32, i + 1, IARG_END);
        if (is_at(ins, names[i][2]) && holds == (INT32)i + 1 && inside != holds) {
            inside = (INT32)i + 1;
            PIN_GetLock(&lock, 2);
            PIN_ReleaseLock(&lock);
        }
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_InitLock(&lock);
    if (!PIN_SemaphoreInit(&work) || !PIN_SemaphoreInit(&done) ||
        PIN_SpawnInternalThread(Worker, 0, 65536, 0) == INVALID_THREADID)
        return 1;
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

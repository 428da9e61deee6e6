/* SPDX-License-Identifier: Apache-2.0
 * Threads of the tool come and go: signals of faults that are sent to the program are open in them until one was taken there. Rules A20, E11. */
#include "golden.h"

static const UINT32 THREADS = 20;
static PIN_SEMAPHORE go;
static PIN_THREAD_UID uid[THREADS];
static UINT32 made, ended;

static VOID Body(VOID *) { PIN_SemaphoreWait(&go); }

static VOID Spawn()
{
    PIN_SemaphoreClear(&go);
    for (UINT32 i = 0; i < THREADS; i++)
        made += PIN_SpawnInternalThread(Body, 0, 0, &uid[i]) != INVALID_THREADID;
}

static VOID End()
{
    INT32 code;
    PIN_SemaphoreSet(&go);
    for (UINT32 i = 0; i < THREADS; i++)
        ended += PIN_WaitForThreadTermination(uid[i], PIN_INFINITE_TIMEOUT, &code);
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_spawn"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Spawn), IARG_END);
    if (is_at(ins, "at_end"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(End), IARG_END);
}

static VOID Fini(INT32 status, VOID *) { std::printf("made %u ended %u status %d\n", made, ended, status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_SemaphoreInit(&go);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

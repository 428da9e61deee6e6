/* SPDX-License-Identifier: Apache-2.0
 * Each lock guards a plain counter: a lost increment, or a reader that sees half of a write, is a lock that does not exclude. */
#include "golden.h"

#include <time.h>

static PIN_LOCK lock;
static PIN_MUTEX mutex;
static PIN_RWMUTEX rw;
static PIN_SEMAPHORE ping, pong;
static volatile UINT64 locked, guarded, first, second, client, wrong, handshakes;
static PIN_THREAD_UID answerer;

static VOID Wrong() { __sync_fetch_and_add(&wrong, 1); }

static VOID Simple(THREADID tid)
{
    PIN_GetLock(&lock, (INT32)tid + 1);
    locked = locked + 1;
    if (PIN_ReleaseLock(&lock) != (INT32)tid + 1)
        Wrong();
    if (tid % 2)
        PIN_MutexLock(&mutex);
    else
        while (!PIN_MutexTryLock(&mutex))
            PIN_Yield();
    guarded = guarded + 1;
    if (PIN_MutexTryLock(&mutex))
        Wrong();
    PIN_MutexUnlock(&mutex);
}

static VOID ReadWrite()
{
    PIN_RWMutexReadLock(&rw);
    if (first != second || PIN_RWMutexTryWriteLock(&rw) || !PIN_RWMutexTryReadLock(&rw))
        Wrong();
    PIN_RWMutexUnlock(&rw);
    PIN_RWMutexUnlock(&rw);
    PIN_RWMutexWriteLock(&rw);
    first = first + 1;
    if (PIN_RWMutexTryReadLock(&rw))
        Wrong();
    second = second + 1;
    PIN_RWMutexUnlock(&rw);
    PIN_LockClient();
    PIN_LockClient();
    client = client + 1;
    PIN_UnlockClient();
    client = client + 1;
    PIN_UnlockClient();
}

static VOID Instruction(INS ins, VOID *)
{
    if (!is_at(ins, "at_work"))
        return;
    PIN_LockClient(); /* a callback has it already */
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Simple), IARG_THREAD_ID, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(ReadWrite), IARG_END);
    PIN_UnlockClient();
}

static VOID Answer(VOID *)
{
    for (;;) {
        PIN_SemaphoreWait(&ping);
        PIN_SemaphoreClear(&ping);
        if (handshakes == 100)
            PIN_ExitThread(5);
        handshakes = handshakes + 1;
        PIN_SemaphoreSet(&pong);
    }
}

static UINT64 Milliseconds()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (UINT64)t.tv_sec * 1000 + (UINT64)t.tv_nsec / 1000000;
}

static VOID Handshakes()
{
    INT32 code = 0;
    for (UINT32 i = 1; i <= 100; i++) {
        PIN_SemaphoreSet(&ping);
        if (!PIN_SemaphoreTimedWait(&pong, 30000) || !PIN_SemaphoreIsSet(&pong) || handshakes != i)
            Wrong();
        PIN_SemaphoreClear(&pong);
    }
    UINT64 before = Milliseconds();
    if (PIN_SemaphoreTimedWait(&pong, 20) || Milliseconds() - before < 20 || PIN_SemaphoreIsSet(&pong))
        Wrong();
    if (PIN_WaitForThreadTermination(answerer, 5, &code))
        Wrong();
    PIN_SemaphoreSet(&ping);
    if (!PIN_WaitForThreadTermination(answerer, PIN_INFINITE_TIMEOUT, &code) || code != 5)
        Wrong();
    if (PIN_WaitForThreadTermination(answerer + 1000, 0, &code))
        Wrong();
}

static VOID Fini(INT32, VOID *)
{
    Handshakes();
    PIN_MutexFini(&mutex);
    PIN_RWMutexFini(&rw);
    PIN_SemaphoreFini(&ping);
    std::printf("lock %lu mutex %lu written %lu client %lu wrong %lu\nhandshakes %lu\n", locked, guarded, second, client / 2, wrong, handshakes);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_InitLock(&lock);
    if (!PIN_MutexInit(&mutex) || !PIN_RWMutexInit(&rw) || !PIN_SemaphoreInit(&ping) || !PIN_SemaphoreInit(&pong))
        Wrong();
    if (PIN_SpawnInternalThread(Answer, 0, 65536, &answerer) == INVALID_THREADID)
        Wrong();
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniUnlockedFunction(Fini, 0);
    PIN_StartProgram();
}

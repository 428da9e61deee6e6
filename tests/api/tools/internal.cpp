/* SPDX-License-Identifier: Apache-2.0
 * Threads of the tool, made in main, from an analysis routine and with std::thread; their identity, data and destructors. They run until the program's end. Rules A20, A21. */
#include "golden.h"

#include <thread>
#include <unistd.h>

static TLS_KEY key, other;
static PIN_SEMAPHORE go;
static PIN_THREAD_UID uid[2];
static THREADID id[2];
static volatile UINT32 spawned, ran, destroyed, first, std_seen, ended, wrong;
static std::thread *own;
static INT32 process;

static VOID Wrong(UINT32 where)
{
    std::fprintf(stderr, "wrong at %u in %d\n", where, PIN_GetPid());
    __sync_fetch_and_add(&wrong, 1);
}
static VOID Destroy(VOID *v)
{
    if (v != (VOID *)(ADDRINT)(PIN_ThreadId() + 100))
        Wrong(1);
    __sync_fetch_and_add(&destroyed, 1);
}

static VOID Body(VOID *arg)
{
    UINT32 n = (UINT32)(ADDRINT)arg;
    if (PIN_IsApplicationThread() || PIN_ThreadId() == INVALID_THREADID || PIN_GetTid() != (OS_THREAD_ID)gettid() || PIN_GetParentTid() != INVALID_OS_THREAD_ID)
        Wrong(2);
    if (PIN_GetThreadData(key) || PIN_GetThreadData(other))
        Wrong(3);
    PIN_SetThreadData(key, (VOID *)(ADDRINT)(PIN_ThreadId() + 100));
    PIN_SetThreadData(other, (VOID *)1, PIN_ThreadId());
    __sync_fetch_and_add(&ran, 1);
    PIN_SemaphoreWait(&go);
    UINT64 word = 0; /* also after somebody has sent this thread the signal of such a fault */
    if (PIN_SafeCopy(&word, (VOID *)16, 8) != 0 || PIN_SafeCopy(&word, &n, 4) != 4 || word != n)
        Wrong(14);
    if (PIN_ThreadUid() != uid[n] || PIN_ThreadId() != id[n])
        Wrong(4);
    if (n)
        PIN_ExitThread(42);
}

static VOID Spawn(UINT32 n)
{
    id[n] = PIN_SpawnInternalThread(Body, (VOID *)(ADDRINT)n, n ? 0 : 1 << 20, &uid[n]);
    if (id[n] == INVALID_THREADID)
        Wrong(5);
    spawned = spawned + 1;
}

/* In the program's process, and in each child of fork, where there is none until then. */
static VOID AtSpawn()
{
    if (!PIN_IsApplicationThread())
        Wrong(6);
    if (PIN_GetPid() == process)
        Spawn(1);
    else
        std::thread([] { usleep(1000); }).detach();
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_spawn"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(AtSpawn), IARG_END);
}

static VOID Start(THREADID tid, CONTEXT *, INT32, VOID *)
{
    if (!PIN_IsApplicationThread() || (tid && PIN_GetParentTid() != (OS_THREAD_ID)process))
        Wrong(7);
    if (!tid)
        PIN_SetThreadData(key, (VOID *)(ADDRINT)(tid + 100), tid);
}
static VOID Begin(THREADID tid, VOID *sp, INT32, VOID *) { first |= 1u << tid | (sp ? 0 : 0x100); }
static VOID End(THREADID tid, INT32, VOID *) { ended |= 1u << tid; }

static VOID Fini(INT32 status, VOID *)
{
    if (PIN_GetPid() != process)
        return;
    INT32 code[2] = {-1, -1};
    if (PIN_WaitForThreadTermination(uid[0], 0, &code[0]))
        Wrong(8);
    PIN_SemaphoreSet(&go);
    for (UINT32 i = 0; i < 2; i++)
        if (!PIN_WaitForThreadTermination(uid[i], 30000, &code[i]))
            Wrong(9);
    if (code[0] != 0 || code[1] != 42)
        Wrong(10);
    own->join();
    std::printf("spawned %u ran %u first 0x%x std 0x%x destroyed %u ended 0x%x wrong %u status %d\n", spawned, ran, first, std_seen, destroyed, ended, wrong, status);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    process = PIN_GetPid();
    PIN_SemaphoreInit(&go);
    key = PIN_CreateThreadDataKey(Destroy);
    other = PIN_CreateThreadDataKey(0);
    TLS_KEY gone = PIN_CreateThreadDataKey(Destroy);
    if (!PIN_SetThreadData(gone, &gone, 0) || !PIN_DeleteThreadDataKey(gone) || PIN_DeleteThreadDataKey(gone) || PIN_SetThreadData(gone, 0, 0))
        Wrong(11);
    gone = PIN_CreateThreadDataKey(0);
    if (PIN_GetThreadData(gone, 0))
        Wrong(12);
    if (PIN_GetInitialThreadCount() != 1)
        Wrong(13);
    Spawn(0);
    own = new std::thread([] {
        std_seen |= 1 | (PIN_ThreadId() == INVALID_THREADID ? 2 : 0) | (PIN_IsApplicationThread() ? 0 : 4);
        PIN_SemaphoreWait(&go);
    });
    PIN_AddThreadBeginFunction(Begin, 0);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddThreadEndFunction(End, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniUnlockedFunction(Fini, 0);
    PIN_StartProgram();
}

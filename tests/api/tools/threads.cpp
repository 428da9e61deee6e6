/* SPDX-License-Identifier: Apache-2.0
 * Thread numbers: start and end of threads, the number seen by analysis routines, data of threads. Rule A19. */
#include "golden.h"

#include <unistd.h>

enum { MAX = 16 };
static volatile UINT32 started, ended;
static volatile UINT64 seen[MAX], wrong;
static TLS_KEY key;

static VOID Start(THREADID tid, CONTEXT *ctxt, INT32, VOID *)
{
    __sync_fetch_and_or(&started, 1u << tid);
    PIN_SetThreadData(key, new UINT64(tid), tid);
    if (PIN_ThreadId() != tid || PIN_GetTid() != (OS_THREAD_ID)gettid() || !PIN_GetContextReg(ctxt, REG_INST_PTR))
        __sync_fetch_and_add(&wrong, 1);
}

static VOID End(THREADID tid, const CONTEXT *, INT32, VOID *)
{
    __sync_fetch_and_or(&ended, 1u << tid);
    delete (UINT64 *)PIN_GetThreadData(key, tid);
}

static VOID Leaf(THREADID tid) { seen[tid & (MAX - 1)] = seen[tid & (MAX - 1)] + 1; }
static VOID Full(THREADID tid)
{
    const UINT64 *own = (const UINT64 *)PIN_GetThreadData(key, tid);
    if (PIN_ThreadId() != tid || !own || *own != tid)
        __sync_fetch_and_add(&wrong, 1);
}

static VOID Trace(TRACE trace, VOID *)
{
    TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Leaf), IARG_THREAD_ID, IARG_END);
    TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Full), IARG_THREAD_ID, IARG_END);
}

static VOID Fini(INT32 status, VOID *)
{
    UINT32 active = 0;
    for (UINT32 i = 0; i < MAX; i++)
        active |= seen[i] ? 1u << i : 0;
    std::printf("started 0x%x ended 0x%x seen 0x%x wrong %lu status %d\n", started, ended, active, wrong, status);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    key = PIN_CreateThreadDataKey(0);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddThreadFiniFunction(End, 0);
    PIN_AddFiniFunction(Fini, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * At the end of the process every thread that is still there has its fini function, and none is in an analysis routine then or later. watch=yes: with callbacks of system calls. Rule A12. */
#include "golden.h"

enum { MAX = 8192 };
static volatile unsigned starts[MAX], ends[MAX];
static volatile UINT32 over, late;
static volatile long live;
static TLS_KEY key;

static VOID Start(THREADID tid, CONTEXT *, INT32, VOID *)
{
    starts[tid] = starts[tid] + 1;
    __sync_fetch_and_add(&live, 1);
    PIN_SetThreadData(key, new long(tid), tid);
}

static VOID End(THREADID tid, const CONTEXT *, INT32, VOID *) { ends[tid] = ends[tid] + 1; }

static VOID Gone(VOID *data)
{
    *(long *)data = -1;
    __sync_fetch_and_sub(&live, 1);
}

/* Its data is freed by now if the thread has ended. */
static VOID Work(THREADID tid)
{
    const long *own = (const long *)PIN_GetThreadData(key, tid);
    if (over || !own || *own != (long)tid)
        late = 1;
}

static VOID Seen(THREADID tid, CONTEXT *, SYSCALL_STANDARD, VOID *) { Work(tid); }

static VOID Trace(TRACE trace, VOID *) { TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Work), IARG_THREAD_ID, IARG_END); }

static VOID Fini(INT32 status, VOID *)
{
    bool once = true;
    over = 1;
    for (int i = 0; i < MAX; i++)
        once &= starts[i] == ends[i];
    for (volatile int i = 0; i < 30000000; i++)
        ;
    std::printf("%s thread ended once, %s at work afterwards, data gone %d, fini %d\n", once ? "every" : "not every", late ? "some" : "none", live == 0, status);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    key = PIN_CreateThreadDataKey(Gone);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddThreadFiniFunction(End, 0);
    PIN_AddFiniFunction(Fini, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    if (option("watch"))
        PIN_AddSyscallEntryFunction(Seen, 0);
    PIN_StartProgram();
}

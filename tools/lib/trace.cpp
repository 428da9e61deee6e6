// SPDX-License-Identifier: Apache-2.0
// Buffers of trace records (trace.h): full ones, those of a thread that ends, those of a thread that executes another program, and what a fork leaves in the child's.
#include "trace.h"

PIN_LOCK trace_lock;

static TraceFile file;
static BUFFER_ID buffer;

// A thread's buffer is the same all its life. What was taken from its front before it was full is not taken again.
static struct {
    const char *start;
    UINT64 taken;
} of_thread[PIN_MAX_THREADS];

static VOID *Full(BUFFER_ID, THREADID tid, const CONTEXT *, VOID *data, UINT64 n, VOID *)
{
    UINT64 taken = of_thread[tid].taken;
    of_thread[tid].taken = 0;
    if (n > taken)
        file.write(tid, static_cast<char *>(data) + taken * file.record_bytes, n - taken);
    return data;
}

// How many records the calling thread has in its buffer; a thread that is not the program's has none.
static UINT64 Collected(THREADID tid)
{
    const char *next = static_cast<const char *>(PIN_GetBufferPointer(NULL, buffer));
    return next && of_thread[tid].start ? UINT64(next - of_thread[tid].start) / file.record_bytes : 0;
}

static VOID Thread(THREADID tid, CONTEXT *, INT32, VOID *)
{
    of_thread[tid].start = static_cast<const char *>(PIN_GetBufferPointer(NULL, buffer));
    of_thread[tid].taken = 0;
}

static VOID BeforeFork(THREADID, const CONTEXT *, VOID *)
{
    PIN_GetLock(&trace_lock, 1);
    file.before_fork();
}
static VOID InParent(THREADID, const CONTEXT *, VOID *) { PIN_ReleaseLock(&trace_lock); }
static VOID InChild(THREADID tid, const CONTEXT *, VOID *)
{
    file.in_child();
    of_thread[tid].taken = Collected(tid);
    PIN_ReleaseLock(&trace_lock);
}

BUFFER_ID trace_start(const TraceFile &f, UINT32 pages)
{
    file = f;
    PIN_InitLock(&trace_lock);
    buffer = pages ? PIN_DefineTraceBuffer(file.record_bytes, pages, Full, 0) : BUFFER_ID_INVALID;
    if (buffer == BUFFER_ID_INVALID) {
        fprintf(stderr, "E: -pages %u: no buffer\n", pages);
        exit(1);
    }
    PIN_AddThreadStartFunction(Thread, 0);
    PIN_AddForkFunction(FPOINT_BEFORE, BeforeFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, InParent, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, InChild, 0);
    return buffer;
}

VOID trace_end()
{
    THREADID tid = PIN_ThreadId();
    UINT64 n = tid < PIN_MAX_THREADS ? Collected(tid) : 0;
    if (n) {
        Full(buffer, tid, NULL, const_cast<char *>(of_thread[tid].start), n, NULL);
        of_thread[tid].taken = n; // it stays in the buffer, if the thread goes on
    }
    file.end();
}

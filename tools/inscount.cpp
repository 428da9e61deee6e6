// SPDX-License-Identifier: Apache-2.0
// inscount: how many instructions were executed. Three ways to count, from the simplest to the fastest: a call for each instruction, for each basic block, for each
// basic block with a counter for each thread.
#include "region.h"

static KNOB<std::string> KnobBy(KNOB_MODE_WRITEONCE, "pintool", "by", "thread", "what a call of the tool counts: ins, bbl, or thread (blocks, by thread)");

struct Counter {
    UINT64 instructions;
    char padding[56]; // a cache line of its own
};
static Counter by_thread[PIN_MAX_THREADS];
static UINT64 total;
static UINT32 threads;

static VOID CountBlock(UINT32 n) { tool_add(&total, n); }
static VOID CountThread(UINT32 n, THREADID tid) { by_thread[tid].instructions += n; }

static VOID Instruction(INS ins, VOID *) { REGION_CALL(ins, AFUNPTR(tool_count), IARG_PTR, &total, IARG_END); }

static VOID Trace(TRACE trace, VOID *each_thread)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        for (INS ins = region_piece(bbl); region_asked && INS_Valid(ins); ins = INS_Next(ins))
            REGION_CALL(ins, AFUNPTR(CountThread), IARG_UINT32, 1, IARG_THREAD_ID, IARG_END);
    for (BBL bbl = TRACE_BblHead(trace); !region_asked && BBL_Valid(bbl); bbl = BBL_Next(bbl))
        if (each_thread)
            BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(CountThread), IARG_UINT32, BBL_NumIns(bbl), IARG_THREAD_ID, IARG_END);
        else
            BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(CountBlock), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
}

static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *)
{
    UINT32 seen = __atomic_load_n(&threads, __ATOMIC_RELAXED);
    while (seen < tid + 1 && !__atomic_compare_exchange_n(&threads, &seen, tid + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static VOID Fini(INT32, VOID *)
{
    for (UINT32 i = 0; i < threads; i++) {
        total += by_thread[i].instructions;
        if (threads > 1 && by_thread[i].instructions)
            fprintf(out, "thread %u: %lu\n", i, by_thread[i].instructions);
    }
    fprintf(out, "instructions: %lu\n", total);
    fflush(out);
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "inscount: how many instructions were executed");
    region_start();
    std::string by = KnobBy.Value();
    if (by == "ins")
        INS_AddInstrumentFunction(Instruction, 0);
    else if (by == "bbl" || by == "thread")
        TRACE_AddInstrumentFunction(Trace, by == "thread" ? out : 0);
    else {
        fprintf(stderr, "E: inscount: -by %s: not one of ins, bbl, thread\n", by.c_str());
        return 1;
    }
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

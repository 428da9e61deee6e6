// SPDX-License-Identifier: Apache-2.0
// inscount: how many instructions were executed, in each thread, image, routine, line, block, or each by itself.
#include "lib/blocks.h"

// With -by thread alone nothing has to be known of a block but its length: each thread has one sum, in a cache line of
// its own. That costs half of what a counter for each block and thread does.
struct Sum {
    UINT64 instructions;
    char padding[56];
};
static Sum sums[PIN_MAX_THREADS];
static THREADID threads; // numbers that were given out

static BOOL OnlyThreads() { return where_by == WHERE_THREAD && !contexts_asked; }

static VOID Add(UINT32 n, THREADID tid) { sums[tid].instructions += n; }

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        if (!where_wanted(BBL_Address(bbl)))
            continue;
        for (INS ins = region_piece(bbl); INS_Valid(ins); ins = region_next_piece(ins))
            REGION_CALL(ins, AFUNPTR(Add), IARG_UINT32, region_piece_size(bbl), IARG_THREAD_ID, IARG_END);
    }
}

// Under the client lock.
static VOID Start(THREADID tid, CONTEXT *, INT32, VOID *) { threads = threads > tid ? threads : tid + 1; }

static VOID Reset()
{
    if (OnlyThreads())
        memset(sums, 0, threads * sizeof *sums);
    else
        blocks_reset();
    contexts_reset();
}

static VOID Results(const lp_results_info *info)
{
    Result result;
    WhereCounts counts(1);
    where_begin(&result, info);
    result.metrics = {{"instructions", "count", "instructions executed"}};
    blocks_add_instructions(&counts);
    for (THREADID tid = 0; tid < threads; tid++)
        if (sums[tid].instructions)
            counts.AddThread(int(tid), 0, sums[tid].instructions);
    counts.Into(&result);
    if (contexts_asked)
        blocks_add_stacks(&result);
    where_write(&result);
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"inscount", "how many instructions were executed", "thread", "20", "callgrind folded speedscope"});
    blocks_start_contexts();
    if (OnlyThreads()) {
        TRACE_AddInstrumentFunction(Trace, 0);
        PIN_AddThreadStartFunction(Start, 0);
    } else
        blocks_start();
    tool_results(Results, Reset);
    PIN_StartProgram();
}

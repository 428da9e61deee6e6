/* SPDX-License-Identifier: Apache-2.0
 * Counts how often each block was executed, for tools that know the rest from the block's instructions (inscount, the mixes). A block is counted as a whole, in a counter of its
 * own; with -by thread each thread has one, so that none is lost. Exact unless a block is left in its middle by a signal; with -by ins, and in a region, each instruction is
 * counted by itself and has not this inexactness. */
#ifndef BLOCKS_H
#define BLOCKS_H
#include "lib/contexts.h"
#include "region.h"

#include <sys/mman.h>

static const UINT32 BLOCKS_MAX = 1u << 22; /* of each thread with -by thread: address space, not memory */
static UINT64 *blocks_of[PIN_MAX_THREADS];
static UINT32 blocks_threads; /* numbers that were given out */
static VOID (*blocks_hook)(WhereBlock *block, INS first); /* the tool's own look at a new block */
static VOID (*blocks_context)(INS first, UINT32 block);    /* with -stack: counts by the calls that led to it */

/* Analysis. */
static VOID blocks_count_thread(THREADID tid, UINT32 block) { blocks_of[tid][block]++; }

static VOID blocks_piece(INS first, UINT32 instructions)
{
    UINT32 number = UINT32(where_blocks.size());
    WhereBlock *b = where_block(first, instructions);
    if (blocks_hook)
        blocks_hook(b, first);
    if (blocks_context)
        blocks_context(first, number);
    if (!(where_by & WHERE_THREAD))
        REGION_CALL(first, tool_counter(), IARG_PTR, &b->executed, IARG_END);
    else if (number < BLOCKS_MAX)
        REGION_CALL(first, AFUNPTR(blocks_count_thread), IARG_THREAD_ID, IARG_UINT32, number, IARG_END);
    else {
        fprintf(stderr, "E: more than %u blocks of code: not with -by thread\n", BLOCKS_MAX);
        PIN_ExitProcess(1);
    }
}

static VOID blocks_trace(TRACE trace, VOID *)
{
    BOOL each = region_asked || (where_by & WHERE_INS);
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        if (!where_wanted(BBL_Address(bbl)))
            continue;
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = each ? INS_Next(ins) : INS_Invalid())
            blocks_piece(ins, each ? 1 : BBL_NumIns(bbl));
    }
}

static VOID blocks_thread(THREADID tid, CONTEXT *, INT32, VOID *)
{
    blocks_threads = blocks_threads > tid ? blocks_threads : tid + 1; /* under the client lock */
    if (blocks_of[tid])
        return; /* a number that was used before: one row */
    VOID *counters = mmap(NULL, BLOCKS_MAX * sizeof(UINT64), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (counters == MAP_FAILED) {
        fprintf(stderr, "E: no address space for the counters of thread %u\n", tid);
        PIN_ExitProcess(1);
    }
    blocks_of[tid] = static_cast<UINT64 *>(counters);
}

/* After region_start. */
static inline VOID blocks_start()
{
    tool_watch_alone();
    TRACE_AddInstrumentFunction(blocks_trace, 0);
    if (where_by & WHERE_THREAD)
        PIN_AddThreadStartFunction(blocks_thread, 0);
}

/* Before blocks_start, for a tool that has -stack. */
static inline VOID blocks_start_contexts()
{
    contexts_start();
    if (contexts_asked)
        blocks_context = contexts_count;
}

/* The child of a fork counts its own. */
static inline VOID blocks_reset()
{
    for (WhereBlock *b : where_blocks)
        b->executed = 0;
    for (UINT32 t = 0; t < blocks_threads; t++)
        if (blocks_of[t])
            memset(blocks_of[t], 0, (where_blocks.size() < BLOCKS_MAX ? where_blocks.size() : BLOCKS_MAX) * sizeof(UINT64));
}

/* Calls f(block, thread or -1, how often) for what was executed. */
template <class F> static VOID blocks_each(F f)
{
    for (UINT32 i = 0; i < where_blocks.size(); i++) {
        WhereBlock *b = where_blocks[i];
        if (b->executed)
            f(b, -1, b->executed);
        for (UINT32 t = 0; t < blocks_threads; t++)
            if (blocks_of[t] && blocks_of[t][i])
                f(b, int(t), blocks_of[t][i]);
    }
}

/* Adds the instructions of all blocks to metric 0. */
static inline VOID blocks_add_instructions(WhereCounts *counts)
{
    blocks_each([&](const WhereBlock *b, int tid, UINT64 executed) {
        for (UINT32 id : b->ids)
            counts->Add(id, tid, 0, executed * b->instructions / b->ids.size());
    });
}

/* The same by the calls that led to it, as stacks of the result. */
static inline VOID blocks_add_stacks(Result *result)
{
    ContextCounts counts(1);
    contexts_each([&](UINT32 block, UINT64 executed, const CallNode *node, THREADID tid) {
        const WhereBlock *b = where_blocks[block];
        for (UINT32 id : b->ids)
            counts.Add(id, node, tid, 0, executed * b->instructions / b->ids.size());
    });
    counts.Into(result);
}

#endif

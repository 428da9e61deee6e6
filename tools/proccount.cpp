// SPDX-License-Identifier: Apache-2.0
// proccount: for each routine how often it was entered and how many instructions ran in it; with -stack also from where.
#include "lib/blocks.h"

static KNOB<BOOL> KnobCalls(KNOB_MODE_WRITEONCE, "pintool", "calls", "0", "sorted by calls instead of instructions");

struct Entry {
    UINT32 where;
    UINT64 calls;
};
static std::vector<Entry *> entries;
static std::unordered_map<UINT32, UINT32> entry_of; // by noted address: its place there

// Numbers of what is counted by call stack and by thread: blocks are even, entries are odd.
static VOID CountBlock(INS first, UINT32 block) { contexts_count(first, block * 2); }

static VOID Enter(INS first)
{
    UINT32 where = where_note(INS_Address(first));
    auto at = entry_of.emplace(where, UINT32(entries.size()));
    if (at.second)
        entries.push_back(new Entry{where, 0});
    REGION_CALL(first, AFUNPTR(tool_count), IARG_PTR, &entries[at.first->second]->calls, IARG_END);
    if (contexts_asked || (where_by & WHERE_THREAD))
        contexts_count(first, at.first->second * 2 + 1);
}

// Routines are found in what is executed: most of a program's are not, and large libraries have hundreds of thousands.
static VOID EnterTrace(TRACE trace, VOID *)
{
    RTN rtn = RTN_Invalid();
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins)) {
            ADDRINT pc = INS_Address(ins);
            if (!RTN_Valid(rtn) || pc - RTN_Address(rtn) >= RTN_Size(rtn))
                rtn = RTN_FindByAddress(pc);
            if (RTN_Valid(rtn) && RTN_Address(rtn) == pc && where_wanted(pc))
                Enter(ins);
        }
}

static size_t Calls() { return KnobCalls ? 0 : 1; }

// add(noted address, node, thread, metric, n)
template <class F> static VOID EachInCalls(F add)
{
    contexts_each([&](UINT32 number, UINT64 n, const CallNode *node, THREADID tid) {
        if (number % 2)
            add(entries[number / 2]->where, node, tid, Calls(), n);
        else
            for (UINT32 id : where_blocks[number / 2]->ids)
                add(id, node, tid, 1 - Calls(), n * where_blocks[number / 2]->instructions / where_blocks[number / 2]->ids.size());
    });
}

static VOID AddRows(WhereCounts *counts)
{
    blocks_each([&](const WhereBlock *b, int tid, UINT64 executed) {
        for (UINT32 id : b->ids)
            counts->Add(id, tid, 1 - Calls(), executed * b->instructions / b->ids.size());
    });
    if (where_by & WHERE_THREAD)
        EachInCalls([&](UINT32 id, const CallNode *, THREADID tid, size_t metric, UINT64 n) {
            if (metric == Calls())
                counts->Add(id, int(tid), metric, n);
        });
    else
        for (const Entry *e : entries)
            if (e->calls)
                counts->Add(e->where, -1, Calls(), e->calls);
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    WhereCounts counts(2);
    where_begin(&r, info);
    r.metrics = {{"instructions", "count", "instructions executed"}, {"calls", "count", "how often routines were entered"}};
    if (KnobCalls)
        std::swap(r.metrics[0], r.metrics[1]);
    AddRows(&counts);
    counts.Into(&r);
    if (contexts_asked) {
        ContextCounts stacks(2);
        EachInCalls([&](UINT32 id, const CallNode *node, THREADID tid, size_t metric, UINT64 n) { stacks.Add(id, node, tid, metric, n); });
        stacks.Into(&r);
    }
    where_write(&r);
}

static VOID InChild()
{
    blocks_reset();
    contexts_reset();
    for (Entry *e : entries)
        e->calls = 0;
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"proccount", "calls and instructions of each routine", "routine", "20", "callgrind folded speedscope"});
    if (where_by & (WHERE_BLOCK | WHERE_INS)) {
        fprintf(stderr, "E: proccount: it counts calls of routines: not -by block or ins\n");
        return 1;
    }
    contexts_start(TRUE);
    if (contexts_asked)
        blocks_context = CountBlock;
    blocks_start();
    TRACE_AddInstrumentFunction(EnterTrace, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

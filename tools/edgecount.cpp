// SPDX-License-Identifier: Apache-2.0
// edgecount: how often each jump from one place to another was taken: branches, calls and returns, with the routines that they connect.
#include "region.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

static KNOB<UINT32> KnobTop(KNOB_MODE_WRITEONCE, "pintool", "top", "20", "print this many edges (0: all)");

typedef std::pair<ADDRINT, ADDRINT> Edge; // from, to
struct Count {
    UINT64 taken;
    const char *kind;
};
typedef std::map<Edge, Count> Edges;

static Edges edges;
static PIN_LOCK lock;

// The edge's entry, which never moves.
static Count *Find(ADDRINT from, ADDRINT to, const char *kind)
{
    Locked locked(&lock);
    Count *c = &edges[Edge(from, to)];
    c->kind = kind;
    return c;
}

static VOID Indirect(ADDRINT from, ADDRINT to, const char *kind) { tool_count(&Find(from, to, kind)->taken); }

static VOID Branch(UINT64 *taken, BOOL is_taken) { tool_add(taken, is_taken); }

static const char *KindOf(INS ins)
{
    return INS_IsRet(ins) ? "return" : INS_IsCall(ins) ? "call" : INS_HasFallThrough(ins) ? "branch" : "jump";
}

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsBranch(ins) && !INS_IsCall(ins) && !INS_IsRet(ins))
        return;
    ADDRINT from = INS_Address(ins);
    if (INS_IsDirectControlFlow(ins)) {
        Count *c = Find(from, INS_DirectControlFlowTargetAddress(ins), KindOf(ins));
        REGION_CALL(ins, AFUNPTR(Branch), IARG_PTR, &c->taken, IARG_BRANCH_TAKEN, IARG_END);
    } else
        REGION_CALL(ins, AFUNPTR(Indirect), IARG_INST_PTR, IARG_BRANCH_TARGET_ADDR, IARG_PTR, KindOf(ins), IARG_END);
}

static bool More(const Edges::iterator &a, const Edges::iterator &b) { return a->second.taken > b->second.taken; }

static VOID Fini(INT32, VOID *)
{
    std::vector<Edges::iterator> rows;
    UINT64 total = 0;
    for (Edges::iterator i = edges.begin(); i != edges.end(); ++i)
        if (i->second.taken) {
            rows.push_back(i);
            total += i->second.taken;
        }
    std::stable_sort(rows.begin(), rows.end(), More);
    fprintf(out, "%lu edges, taken %lu times\n", rows.size(), total);
    PIN_LockClient();
    for (size_t i = 0; i < rows.size() && (!KnobTop.Value() || i < KnobTop.Value()); i++) {
        const Edge &e = rows[i]->first;
        fprintf(out, "%12lu %-7s %16lx -> %-16lx %s -> %s\n", rows[i]->second.taken, rows[i]->second.kind, e.first, e.second, tool_name_of(e.first).c_str(), tool_name_of(e.second).c_str());
    }
    PIN_UnlockClient();
    fflush(out);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    tool_start(argc, argv, "edgecount: how often each jump from one place to another was taken");
    region_start();
    PIN_InitLock(&lock);
    INS_AddInstrumentFunction(Instruction, 0);
    tool_fini(Fini, FALSE);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// callgraph: which routine called which, and how often, as a graph for Graphviz (dot -Tsvg). A jump to the start of another routine is a call, too (the compiler made the last call of a
// routine into one). Stubs through which shared libraries are called (.plt) are left out: the call is their caller's.
#include "tool.h"

#include <map>
#include <set>
#include <utility>

static KNOB<UINT64> KnobMin(KNOB_MODE_WRITEONCE, "pintool", "min", "1", "leave out edges with fewer calls");
static KNOB<BOOL> KnobMain(KNOB_MODE_WRITEONCE, "pintool", "main", "0", "only calls from or to routines of the main executable");

struct Node {
    std::string name;
    BOOL in_main, is_stub;
    UINT64 instructions;
};
struct ByName {
    bool operator()(const Node *a, const Node *b) const { return a->name < b->name; }
};
typedef std::pair<const Node *, const Node *> Edge; // caller, callee
struct ByNames {
    bool operator()(const Edge &a, const Edge &b) const { return a.first != b.first ? a.first->name < b.first->name : a.second->name < b.second->name; }
};
typedef std::map<Edge, UINT64, ByNames> Edges;
static std::map<std::string, Node> nodes;
static std::map<ADDRINT, Node *> known; // by address
static Edges edges;
static const Node *last_caller[PIN_MAX_THREADS];
static PIN_LOCK lock;

static BOOL IsStub(RTN rtn) { return RTN_Valid(rtn) && (SEC_Name(RTN_Sec(rtn)).compare(0, 4, ".plt") == 0); }

// The node that an address belongs to; it never moves.
static Node *Find(ADDRINT address)
{
    PIN_LockClient();
    PIN_GetLock(&lock, 1);
    Node *&n = known[address];
    if (!n) {
        RTN rtn = RTN_FindByAddress(address);
        IMG img = IMG_FindByAddress(address);
        std::string name = RTN_Valid(rtn) ? tool_name_of(address) : IMG_Valid(img) ? tool_base_name(IMG_Name(img)) + ":?" : std::string("?");
        n = &nodes[name];
        n->name = name;
        n->in_main = IMG_Valid(img) && IMG_IsMainExecutable(img);
        n->is_stub = IsStub(rtn);
    }
    Node *found = n;
    PIN_ReleaseLock(&lock);
    PIN_UnlockClient();
    return found;
}

static UINT64 *FindEdge(const Node *from, const Node *to)
{
    Locked locked(&lock);
    return &edges[Edge(from, to)];
}

static VOID CallStub(THREADID tid, const Node *from) { last_caller[tid] = from; }

static VOID CallAt(THREADID tid, const Node *from, ADDRINT target)
{
    const Node *to = Find(target);
    if (to->is_stub)
        CallStub(tid, from);
    else
        tool_count(FindEdge(from, to));
}

static BOOL IsStart(ADDRINT address)
{
    RTN rtn = RTN_FindByAddress(address);
    return RTN_Valid(rtn) && RTN_Address(rtn) == address;
}

// A jump to somewhere: a call if another routine starts there.
static VOID JumpAt(THREADID tid, const Node *from, ADDRINT target)
{
    const Node *caller = from->is_stub ? last_caller[tid] : from, *to = Find(target);
    if (to == from || !caller)
        return;
    PIN_LockClient();
    BOOL start = IsStart(target);
    PIN_UnlockClient();
    if (start)
        CallAt(tid, caller, target);
}

static VOID Direct(INS ins, Node *from)
{
    ADDRINT target = INS_DirectControlFlowTargetAddress(ins);
    Node *to = Find(target);
    if (!INS_IsCall(ins) && (to == from || from->is_stub || INS_HasFallThrough(ins) || !IsStart(target)))
        return;
    if (to->is_stub)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(CallStub), IARG_THREAD_ID, IARG_PTR, from, IARG_END);
    else
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(tool_count), IARG_PTR, FindEdge(from, to), IARG_END);
}

static VOID Block(UINT64 *instructions, UINT32 n) { tool_add(instructions, n); }

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        Node *from = Find(BBL_Address(bbl));
        INS last = BBL_InsTail(bbl);
        BBL_InsertCall(bbl, IPOINT_BEFORE, AFUNPTR(Block), IARG_PTR, &from->instructions, IARG_UINT32, BBL_NumIns(bbl), IARG_END);
        if (!INS_IsCall(last) && !INS_IsBranch(last))
            continue;
        if (INS_IsDirectControlFlow(last))
            Direct(last, from);
        else
            INS_InsertCall(last, IPOINT_BEFORE, INS_IsCall(last) ? AFUNPTR(CallAt) : AFUNPTR(JumpAt), IARG_THREAD_ID, IARG_PTR, from, IARG_BRANCH_TARGET_ADDR, IARG_END);
    }
}

static VOID Fini(INT32, VOID *)
{
    std::set<const Node *, ByName> shown;
    fprintf(out, "digraph calls {\n    node [shape=box];\n");
    for (Edges::iterator i = edges.begin(); i != edges.end(); ++i) {
        const Node *from = i->first.first, *to = i->first.second;
        if (!i->second || i->second < KnobMin.Value() || (KnobMain && !from->in_main && !to->in_main))
            continue;
        shown.insert(from);
        shown.insert(to);
        fprintf(out, "    \"%s\" -> \"%s\" [label=\"%lu\"];\n", from->name.c_str(), to->name.c_str(), i->second);
    }
    for (std::set<const Node *, ByName>::iterator i = shown.begin(); i != shown.end(); ++i)
        fprintf(out, "    \"%s\" [label=\"%s\\n%lu instructions\"];\n", (*i)->name.c_str(), (*i)->name.c_str(), (*i)->instructions);
    fprintf(out, "}\n");
    fflush(out);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    for (auto &i : nodes)
        i.second.instructions = 0;
    for (auto &i : edges)
        i.second = 0;
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    tool_start(argc, argv, "callgraph: which routine called which, for Graphviz");
    tool_init_lock(&lock);
    TRACE_AddInstrumentFunction(Trace, 0);
    tool_fini(Fini, FALSE, InChild);
    PIN_StartProgram();
}

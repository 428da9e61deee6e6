// SPDX-License-Identifier: Apache-2.0
// callgraph: which routine called which, and how often, as a graph for Graphviz (dot -Tsvg). A jump to the start of another routine is a call, too (the compiler made the last call of a
// routine into one). Stubs through which shared libraries are called (.plt) are left out: the call is their caller's.
#include "lib/where.h"
#include "region.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

static KNOB<UINT64> KnobMin(KNOB_MODE_WRITEONCE, "pintool", "min", "1", "leave out edges with fewer calls");

struct Node {
    std::string name;
    BOOL is_wanted, is_stub; // is_wanted: -main, -image, -routine
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
        BOOL whole = !(where_by & WHERE_ROUTINE);
        std::string name = IMG_Valid(img) && whole ? tool_base_name(IMG_Name(img)) : RTN_Valid(rtn) ? tool_name_of(address) : IMG_Valid(img) ? tool_base_name(IMG_Name(img)) + ":?" : std::string("?");
        n = &nodes[name];
        n->name = name;
        n->is_wanted |= where_wanted(address);
        n->is_stub = !whole && IsStub(rtn);
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
        REGION_CALL(ins, AFUNPTR(CallStub), IARG_THREAD_ID, IARG_PTR, from, IARG_END);
    else
        REGION_CALL(ins, AFUNPTR(tool_count), IARG_PTR, FindEdge(from, to), IARG_END);
}

static VOID Block(UINT64 *instructions, UINT32 n) { tool_add(instructions, n); }

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        Node *from = Find(BBL_Address(bbl));
        INS last = BBL_InsTail(bbl);
        for (INS ins = region_piece(bbl); INS_Valid(ins); ins = region_next_piece(ins))
            REGION_CALL(ins, AFUNPTR(Block), IARG_PTR, &from->instructions, IARG_UINT32, region_piece_size(bbl), IARG_END);
        if (!INS_IsCall(last) && !INS_IsBranch(last))
            continue;
        if (INS_IsDirectControlFlow(last))
            Direct(last, from);
        else
            REGION_CALL(last, INS_IsCall(last) ? AFUNPTR(CallAt) : AFUNPTR(JumpAt), IARG_THREAD_ID, IARG_PTR, from, IARG_BRANCH_TARGET_ADDR, IARG_END);
    }
}

typedef std::pair<Edge, UINT64> Counted;

// What the options choose; with -top those with the most calls, in the order of their names all the same.
static std::vector<Counted> Chosen()
{
    std::vector<Counted> all;
    for (const auto &e : edges)
        if (e.second && e.second >= KnobMin.Value() && (e.first.first->is_wanted || e.first.second->is_wanted))
            all.push_back(e);
    if (where_top && all.size() > where_top) {
        std::stable_sort(all.begin(), all.end(), [](const Counted &a, const Counted &b) { return a.second > b.second; });
        all.resize(where_top);
        std::sort(all.begin(), all.end(), [](const Counted &a, const Counted &b) { return ByNames()(a.first, b.first); });
    }
    return all;
}

static std::set<const Node *, ByName> NodesOf(const std::vector<Counted> &chosen)
{
    std::set<const Node *, ByName> shown;
    for (const Counted &e : chosen)
        shown.insert({e.first.first, e.first.second});
    return shown;
}

static VOID WriteGraph(const Result &r, const std::vector<Counted> &chosen)
{
    for (const std::string &note : r.notes)
        fprintf(out, "// %s\n", note.c_str());
    fprintf(out, "digraph calls {\n    node [shape=box];\n");
    for (const Counted &e : chosen)
        fprintf(out, "    \"%s\" -> \"%s\" [label=\"%lu\"];\n", e.first.first->name.c_str(), e.first.second->name.c_str(), e.second);
    for (const Node *n : NodesOf(chosen))
        fprintf(out, "    \"%s\" [label=\"%s\\n%lu instructions\"];\n", n->name.c_str(), n->name.c_str(), n->instructions);
    fprintf(out, "}\n");
    fflush(out);
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    where_begin(&r, info);
    std::vector<Counted> chosen = Chosen();
    if (KnobFormat.Value() == "text")
        return WriteGraph(r, chosen);
    std::stable_sort(chosen.begin(), chosen.end(), [](const Counted &a, const Counted &b) { return a.second > b.second; });
    ResultTable calls = {"calls", "", {{"calls", "number"}, {"caller", "text"}, {"callee", "text"}}, {}}, own = {"routines", "", {{"instructions", "number"}, {"routine", "text"}}, {}};
    r.metrics = {{"calls", "calls", "from one routine to another"}};
    r.totals = {0};
    for (const Counted &e : chosen) {
        calls.rows.push_back({e.second, e.first.first->name, e.first.second->name});
        r.totals[0] += e.second;
    }
    for (const Node *n : NodesOf(chosen))
        own.rows.push_back({n->instructions, n->name});
    r.tables = {calls, own};
    where_write(&r);
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
    static const ToolRefused refused[] = {{"stack", "a graph has no paths; profile -format folded tells of those"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"callgraph", "which routine called which, for Graphviz", "routine", "0", ""});
    if (where_by != WHERE_ROUTINE && where_by != WHERE_IMAGE) {
        fprintf(stderr, "E: callgraph: calls are from routine to routine, or from image to image (-by routine or image); -tid chooses a thread\n");
        return 1;
    }
    tool_init_lock(&lock);
    TRACE_AddInstrumentFunction(Trace, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// profile: where the instructions go: by routine or line alone (rows), and by call stack with all that was called (stacks, calls). Each thread has a tree of calls, and a register of
// the tool's leads to the node that it is in, so that a block adds to its node inline.
#include "lib/blocks.h"

#include <algorithm>
#include <set>

static KNOB<UINT32> KnobDepth(KNOB_MODE_WRITEONCE, "pintool", "depth", "400", "deeper calls count for the call at this depth");

// A call site on the way that led to it. The root of a thread has none.
struct Node {
    UINT64 self, calls;
    Node *parent, *child, *sibling;
    UINT32 site, target; // noted addresses
    UINT32 depth;
};
// A call that has not returned. It is over when the stack pointer is where it was before, or above: so longjmp and exceptions do no harm.
struct Frame {
    Node *node;
    ADDRINT sp;
};
struct Thread {
    Node *root;
    std::vector<Frame> frames;
    THREADID tid;
};
static Thread *threads[PIN_MAX_THREADS];
static std::vector<Thread *> all; // a number may be used again
static REG node_reg;

static VOID PIN_FAST_ANALYSIS_CALL Count(Node *node, UINT32 n) { node->self += n; }

static Node *ChildOf(Node *parent, UINT32 site, UINT32 target)
{
    Node **at = &parent->child;
    while (*at && ((*at)->site != site || (*at)->target != target))
        at = &(*at)->sibling;
    Node *n = *at;
    if (n)
        *at = n->sibling;
    else {
        n = new Node();
        n->parent = parent;
        n->site = site;
        n->target = target;
        n->depth = parent->depth + 1;
    }
    n->sibling = parent->child; // the last one is first
    parent->child = n;
    return n;
}

static Node *Leave(Thread *t, ADDRINT sp)
{
    while (!t->frames.empty() && t->frames.back().sp <= sp)
        t->frames.pop_back();
    return t->frames.empty() ? t->root : t->frames.back().node;
}

static ADDRINT Enter(THREADID tid, UINT32 site, UINT32 target, ADDRINT sp)
{
    Thread *t = threads[tid];
    Node *from = Leave(t, sp), *to = from->depth < KnobDepth.Value() ? ChildOf(from, site, target) : from;
    to->calls++;
    t->frames.push_back(Frame{to, sp});
    return ADDRINT(to);
}

static ADDRINT EnterAt(THREADID tid, UINT32 site, ADDRINT address, ADDRINT sp)
{
    PIN_LockClient();
    UINT32 target = where_note(address);
    PIN_UnlockClient();
    return Enter(tid, site, target, sp);
}

// A return takes at least its address from the stack.
static ADDRINT Return(THREADID tid, ADDRINT sp) { return ADDRINT(Leave(threads[tid], sp + sizeof(ADDRINT))); }

static VOID Hook(WhereBlock *block, INS first)
{
    REGION_CALL(first, AFUNPTR(Count), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, node_reg, IARG_UINT32, block->instructions, IARG_END);
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_IsRet(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Return), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_THREAD_ID, IARG_REG_VALUE, REG_STACK_PTR, IARG_RETURN_REGS, node_reg, IARG_END);
    else if (INS_IsCall(ins) && INS_IsDirectControlFlow(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Enter), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_THREAD_ID, IARG_UINT32, where_note(INS_Address(ins)), IARG_UINT32,
            where_note(INS_DirectControlFlowTargetAddress(ins)), IARG_REG_VALUE, REG_STACK_PTR, IARG_RETURN_REGS, node_reg, IARG_END);
    else if (INS_IsCall(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(EnterAt), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_THREAD_ID, IARG_UINT32, where_note(INS_Address(ins)), IARG_BRANCH_TARGET_ADDR, IARG_REG_VALUE,
            REG_STACK_PTR, IARG_RETURN_REGS, node_reg, IARG_END);
}

static VOID ThreadStart(THREADID tid, CONTEXT *ctxt, INT32, VOID *)
{
    Thread *t = new Thread();
    t->root = new Node();
    t->root->calls = 1;
    t->root->target = where_note(PIN_GetContextReg(ctxt, REG_INST_PTR));
    t->tid = tid;
    threads[tid] = t;
    all.push_back(t);
    PIN_SetContextReg(ctxt, node_reg, ADDRINT(t->root));
}

// --- results ------------------------------------------------------------------------------------------------------------

typedef std::pair<std::pair<int, int>, UINT32> Edge; // routines from and to, site
struct Total {
    UINT64 count, cost;
};
static std::map<Edge, Total> edges;
static std::map<int, Total> routines; // calls, and instructions with all that was called

static int RoutineOf(UINT32 id) { return where_place(id).routine; }

// Of recursion the outermost call has the cost. Returns what the node and all below it have executed.
static UINT64 Sum(const Node *n, std::multiset<Edge> *edges_above, std::multiset<int> *routines_above)
{
    int own = RoutineOf(n->target);
    Edge edge = Edge(std::make_pair(n->parent ? RoutineOf(n->site) : -1, own), n->site);
    BOOL outer = !routines_above->count(own), outer_edge = n->parent && !edges_above->count(edge);
    auto in_routines = routines_above->insert(own);
    auto in_edges = edges_above->insert(edge);
    UINT64 cost = n->self;
    for (const Node *c = n->child; c; c = c->sibling)
        cost += Sum(c, edges_above, routines_above);
    routines_above->erase(in_routines);
    edges_above->erase(in_edges);
    routines[own].count += n->calls;
    routines[own].cost += outer ? cost : 0;
    if (n->parent) {
        edges[edge].count += n->calls;
        edges[edge].cost += outer_edge ? cost : 0;
    }
    return cost;
}

class Frames
{
  public:
    explicit Frames(Result *result) : result(result) {}
    int Of(UINT32 id)
    {
        auto at = index.emplace(id, int(result->frames.size()));
        if (at.second)
            result->frames.push_back(where_place(id));
        return at.first->second;
    }

  private:
    Result *result;
    std::map<UINT32, int> index;
};

static VOID Stacks(Result *r, Frames *frames, const Node *n, int tid)
{
    if (n->self) {
        ResultStack s = {{frames->Of(n->target)}, n->depth >= KnobDepth.Value(), tid, {n->self}};
        for (const Node *up = n; up->parent; up = up->parent)
            s.frames.insert(s.frames.begin(), frames->Of(up->site));
        r->stacks.push_back(s);
    }
    for (const Node *c = n->child; c; c = c->sibling)
        Stacks(r, frames, c, tid);
}

static VOID Table(Result *r)
{
    ResultTable t = {"with all that was called", "", {{"routine", "text"}, {"instructions", "count"}, {"share", "percent"}, {"calls", "count"}}, {}};
    std::vector<std::pair<int, Total>> order(routines.begin(), routines.end());
    std::stable_sort(order.begin(), order.end(), [](const std::pair<int, Total> &a, const std::pair<int, Total> &b) { return a.second.cost > b.second.cost; });
    for (auto &i : order) {
        if (!i.second.cost && !i.second.count)
            continue; // of the parent's time, in the child of a fork
        ResultPlace p;
        p.routine = i.first;
        t.rows.push_back({i.first < 0 ? std::string("(no routine)") : where_routine_name(p), i.second.cost, tool_percent(i.second.cost, r->totals[0]), i.second.count});
    }
    r->tables.push_back(t);
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    WhereCounts counts(1);
    Frames frames(&r);
    where_begin(&r, info);
    r.metrics = {{"instructions", "count", "instructions executed"}};
    blocks_add_instructions(&counts);
    counts.Into(&r);
    edges.clear();
    routines.clear();
    for (const Thread *t : all) {
        std::multiset<Edge> edges_above;
        std::multiset<int> routines_above;
        Sum(t->root, &edges_above, &routines_above);
        Stacks(&r, &frames, t->root, int(t->tid));
    }
    for (auto &i : edges)
        if (i.second.cost || i.second.count)
            r.calls.push_back(ResultCall{i.first.first.first, i.first.first.second, where_place(i.first.second), i.second.count, {i.second.cost}});
    std::stable_sort(r.stacks.begin(), r.stacks.end(), [](const ResultStack &a, const ResultStack &b) { return a.values[0] > b.values[0]; });
    Table(&r);
    where_write(&r);
}

static VOID ResetNode(Node *n)
{
    n->self = n->calls = 0;
    for (Node *c = n->child; c; c = c->sibling)
        ResetNode(c);
}

static VOID Reset()
{
    blocks_reset();
    for (Thread *t : all)
        ResetNode(t->root);
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"profile", "where the instructions go, with call stacks", "routine", "20", "callgrind folded speedscope"});
    node_reg = PIN_ClaimToolRegister();
    blocks_hook = Hook;
    PIN_AddThreadStartFunction(ThreadStart, 0);
    blocks_start();
    INS_AddInstrumentFunction(Instruction, 0);
    tool_results(Results, Reset);
    PIN_StartProgram();
}

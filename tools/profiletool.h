/* SPDX-License-Identifier: Apache-2.0
 * profile, and toprtn, which shows a part of it: where the instructions go: by routine or line alone (rows), and by call stack with all that was called (stacks, calls). A register of
 * the tool's leads to the node of the tree of calls that the thread is in (lib/calltree.h), so that a block adds to its node inline. */
#ifndef PROFILETOOL_H
#define PROFILETOOL_H
#include "lib/blocks.h"
#include "lib/calltree.h"

#include <algorithm>
#include <set>

/* What the two say of themselves. rows: the text form has the rows by place, not only the table. by_self: NULL, or an option for the order of the table. */
struct ProfileTool {
    const char *name, *what;
    BOOL rows;
    KNOB<BOOL> *by_self;
};
static ProfileTool profile_tool;

static KNOB<UINT32> KnobDepth(KNOB_MODE_WRITEONCE, "pintool", "depth", "400", "deeper calls count for the call at this depth");

static VOID PIN_FAST_ANALYSIS_CALL Count(CallNode *node, UINT32 n) { node->self += n; }

static VOID Hook(WhereBlock *block, INS first)
{
    REGION_CALL(first, AFUNPTR(Count), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, calltree_reg, IARG_UINT32, block->instructions, IARG_END);
}

/* --- results ------------------------------------------------------------------------------------------------------------ */

typedef std::pair<std::pair<int, int>, UINT32> Edge; /* routines from and to, site */
struct Total {
    UINT64 count, cost, self;
};
static std::map<Edge, Total> edges;
static std::map<int, Total> routines; /* calls, instructions with all that was called, and those of its own */

static int RoutineOf(UINT32 id) { return where_place(id).routine; }

/* Of recursion the outermost call has the cost. Returns what the node and all below it have executed. */
static UINT64 Sum(const CallNode *n, std::multiset<Edge> *edges_above, std::multiset<int> *routines_above)
{
    int own = RoutineOf(n->target);
    Edge edge = Edge(std::make_pair(n->parent ? RoutineOf(n->site) : -1, own), n->site);
    BOOL outer = !routines_above->count(own), outer_edge = n->parent && !edges_above->count(edge);
    auto in_routines = routines_above->insert(own);
    auto in_edges = edges_above->insert(edge);
    UINT64 cost = n->self;
    for (const CallNode *c = n->child; c; c = c->sibling)
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

static VOID Stacks(Result *r, Frames *frames, const CallNode *n, int tid)
{
    if (n->self) {
        ResultStack s = {{frames->Of(n->target)}, n->depth >= KnobDepth.Value(), tid, {n->self}};
        for (const CallNode *up = n; up->parent; up = up->parent)
            s.frames.insert(s.frames.begin(), frames->Of(up->site));
        r->stacks.push_back(s);
    }
    for (const CallNode *c = n->child; c; c = c->sibling)
        Stacks(r, frames, c, tid);
}

static VOID Table(Result *r)
{
    ResultTable t = {"with all that was called", "", {{"routine", "text"}, {"instructions", "count"}, {"share", "percent"}, {"calls", "count"}, {"self", "count"}, {"share", "percent"}}, {}};
    std::vector<std::pair<int, Total>> order(routines.begin(), routines.end());
    BOOL by_self = profile_tool.by_self && *profile_tool.by_self;
    auto value = [&](const std::pair<int, Total> &i) { return by_self ? i.second.self : i.second.cost; };
    auto name = [](const std::pair<int, Total> &i) {
        ResultPlace p;
        p.routine = i.first;
        return where_routine_name(p);
    };
    std::stable_sort(order.begin(), order.end(), [&](const std::pair<int, Total> &a, const std::pair<int, Total> &b) { return value(a) != value(b) ? value(a) > value(b) : name(a) < name(b); });
    for (auto &i : order) {
        if (!i.second.cost && !i.second.count && !i.second.self)
            continue; /* of the parent's time, in the child of a fork */
        t.rows.push_back({i.first < 0 ? std::string("(no routine)") : name(i), i.second.cost, tool_percent(i.second.cost, r->totals[0]), i.second.count, i.second.self, tool_percent(i.second.self, r->totals[0])});
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
    blocks_each([&](const WhereBlock *b, int, UINT64 executed) { routines[RoutineOf(b->ids[0])].self += executed * b->instructions; });
    for (const CallTree *t : calltrees) {
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
    if (!profile_tool.rows && KnobFormat.Value() == "text")
        r.rows.clear();
    where_write(&r);
}

static VOID Reset()
{
    blocks_reset();
    calltree_reset();
}

static inline int profile_run(int argc, char **argv, const ProfileTool &tool)
{
    profile_tool = tool;
    static const ToolRefused refused[] = {{"stack", "it knows whole call stacks: -format folded or json has them, -depth says how deep"}, {"by", "its rows are routines; profile has others"}, {NULL, NULL}};
    static const ToolRefused stacks_only[] = {refused[0], {NULL, NULL}};
    tool_refuses(tool.by_self ? refused : stacks_only);
    where_start(argc, argv, WhereTool{tool.name, tool.what, "routine", "20", "callgrind folded speedscope"});
    blocks_hook = Hook;
    blocks_start();
    calltree_start(KnobDepth, FALSE);
    tool_results(Results, Reset);
    PIN_StartProgram();
}

#endif

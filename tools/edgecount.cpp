// SPDX-License-Identifier: Apache-2.0
// edgecount: how often each jump from one place to another was taken: branches, calls and returns. Places are instructions, or with -by lines, routines or images.
#include "lib/contexts.h"
#include "region.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

// The kinds of one place differ: a routine is left by calls and returns.
enum Kind { BRANCH, JUMP, CALL, RETURN };
static const char *const names[] = {"branch", "jump", "call", "return"};

struct Edge {
    ADDRINT target;
    UINT32 to; // noted
    UINT64 taken;
};
// An instruction with the edges that leave it. Edges never move; the last one that was taken is looked at first.
struct Site {
    UINT32 from;
    Kind kind;
    Edge *last;
    std::map<ADDRINT, Edge *> edges;
};
static std::vector<Site *> sites;
static Edge nowhere;
static PIN_LOCK lock;

static Edge *Known(Site *site, ADDRINT target)
{
    Locked locked(&lock);
    auto at = site->edges.find(target);
    return at == site->edges.end() ? NULL : at->second;
}

// Under the client lock.
static Edge *Find(Site *site, ADDRINT target)
{
    UINT32 to = where_note(target);
    Locked locked(&lock);
    Edge *&e = site->edges[target];
    if (!e)
        e = new Edge{target, to, 0};
    return e;
}

static VOID Indirect(Site *site, ADDRINT target)
{
    Edge *e = __atomic_load_n(&site->last, __ATOMIC_RELAXED);
    if (e->target != target) {
        e = Known(site, target);
        if (!e) {
            PIN_LockClient();
            e = Find(site, target);
            PIN_UnlockClient();
        }
        __atomic_store_n(&site->last, e, __ATOMIC_RELAXED);
    }
    tool_add(&e->taken, 1);
}

static VOID Branch(UINT64 *taken, BOOL is_taken) { tool_add(taken, is_taken); }

static Kind KindOf(INS ins) { return INS_IsRet(ins) ? RETURN : INS_IsCall(ins) ? CALL : INS_HasFallThrough(ins) ? BRANCH : JUMP; }

static VOID Instruction(INS ins, VOID *)
{
    if ((!INS_IsBranch(ins) && !INS_IsCall(ins) && !INS_IsRet(ins)) || !where_wanted(INS_Address(ins)))
        return;
    Site *site = new Site{where_note(INS_Address(ins)), KindOf(ins), &nowhere, {}};
    sites.push_back(site);
    if (INS_IsDirectControlFlow(ins))
        REGION_CALL(ins, AFUNPTR(Branch), IARG_PTR, &Find(site, INS_DirectControlFlowTargetAddress(ins))->taken, IARG_BRANCH_TAKEN, IARG_END);
    else
        REGION_CALL(ins, AFUNPTR(Indirect), IARG_PTR, site, IARG_BRANCH_TARGET_ADDR, IARG_END);
    if (contexts_asked)
        contexts_count_taken(ins, site->from);
}

// --- results ------------------------------------------------------------------------------------------------------------

// From, to, kind: code that was translated again is the same edge.
typedef std::map<std::pair<std::pair<ResultPlace, ResultPlace>, Kind>, UINT64> Edges;

static Edges Sum(WhereCounts *counts)
{
    Edges sums;
    for (const Site *s : sites)
        for (const auto &i : s->edges)
            if (i.second->taken) {
                sums[std::make_pair(std::make_pair(where_reduced(s->from, -1), where_reduced(i.second->to, -1)), s->kind)] += i.second->taken;
                counts->Add(s->from, -1, 0, i.second->taken);
            }
    return sums;
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    WhereCounts counts(1);
    where_begin(&r, info);
    r.metrics = {{"taken", "count", "jumps, calls and returns that were taken"}};
    Edges sums = Sum(&counts);
    counts.Into(&r);
    if (contexts_asked) {
        ContextCounts stacks(1);
        contexts_each([&](UINT32 from, UINT64 n, const CallNode *node, THREADID tid) { stacks.Add(from, node, tid, 0, n); });
        stacks.Into(&r);
    }
    ResultTable t = {"edges", "", {{"kind", "text"}, {"from", "text"}, {"to", "text"}, {"taken", "count"}}, {}};
    for (const auto &i : sums)
        t.rows.push_back({names[i.first.second], where_place_name(i.first.first.first), where_place_name(i.first.first.second), i.second});
    std::sort(t.rows.begin(), t.rows.end(), [](const std::vector<ResultCell> &a, const std::vector<ResultCell> &b) {
        return a[3].whole != b[3].whole ? a[3].whole > b[3].whole : a[1].text != b[1].text ? a[1].text < b[1].text : a[2].text < b[2].text;
    });
    size_t top = KnobFormat.Value() == "text" && where_top ? where_top : t.rows.size();
    if (top < t.rows.size()) {
        r.notes.push_back(decstr(top) + " of " + decstr(t.rows.size()) + " edges (-top 0 prints all)");
        t.rows.resize(top, {});
    }
    r.tables.push_back(t);
    if (KnobFormat.Value() != "json")
        r.rows.clear(); // the edges say it
    where_write(&r);
}

static VOID InChild()
{
    for (Site *s : sites)
        for (auto &i : s->edges)
            i.second->taken = 0;
    contexts_reset();
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"edgecount", "how often each jump from one place to another was taken", "ins,line", "20", "folded speedscope"});
    if (where_by & WHERE_THREAD || !where_by) {
        fprintf(stderr, "E: edgecount: edges are between places (-by ins, line, routine or image); -tid chooses a thread\n");
        return 1;
    }
    tool_init_lock(&lock);
    contexts_start();
    INS_AddInstrumentFunction(Instruction, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// Counts by the calls that led to them (contexts.h).
#include "contexts.h"
#include "region.h"

#include <algorithm>

static KNOB<UINT32> KnobStack(KNOB_MODE_WRITEONCE, "pintool", "stack", "0", "count also by call stack: the place and so many callers (at most 63)");

BOOL contexts_asked;

// Formats that are made of stacks have all that there is room for, unless something else is asked for.
static UINT32 Most() { return std::min(!KnobStack && (KnobFormat.Value() == "folded" || KnobFormat.Value() == "speedscope") ? 63 : KnobStack.Value(), 63u); }

// --- analysis -----------------------------------------------------------------------------------------------------------

static inline CallSlot *SlotOf(CallNode *node, UINT32 what) { return &node->slots[(node->hash ^ what) % (sizeof CallTree::slots / sizeof *CallTree::slots)]; }

// 0: it is counted.
static ADDRINT PIN_FAST_ANALYSIS_CALL Look(CallNode *node, UINT32 what)
{
    CallSlot *s = SlotOf(node, what);
    if ((ADDRINT(s->node) ^ ADDRINT(node)) | (s->what ^ what))
        return 1;
    ++*s->n;
    return 0;
}

static VOID Slow(CallNode *node, UINT32 what)
{
    CallCounter *c = node->counters;
    while (c && c->what != what)
        c = c->next;
    if (!c) {
        c = new CallCounter{0, node->counters, what};
        __atomic_store_n(&node->counters, c, __ATOMIC_RELEASE); // whoever reads them sees a whole one
    }
    *SlotOf(node, what) = CallSlot{node, &c->n, what};
    c->n++;
}

static VOID Count(CallNode *node, UINT32 what)
{
    if (Look(node, what))
        Slow(node, what);
}
static VOID CountTaken(CallNode *node, UINT32 what, BOOL taken)
{
    if (taken)
        Count(node, what);
}

// --- instrumentation ----------------------------------------------------------------------------------------------------

VOID contexts_count(INS ins, UINT32 what)
{
    if (region_asked) {
        REGION_CALL(ins, AFUNPTR(Count), IARG_REG_VALUE, calltree_reg, IARG_UINT32, what, IARG_END);
        return;
    }
    INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Look), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, calltree_reg, IARG_UINT32, what, IARG_END);
    INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Slow), IARG_REG_VALUE, calltree_reg, IARG_UINT32, what, IARG_END);
}

VOID contexts_count_taken(INS ins, UINT32 what)
{
    REGION_CALL(ins, AFUNPTR(CountTaken), IARG_REG_VALUE, calltree_reg, IARG_UINT32, what, IARG_BRANCH_TAKEN, IARG_END);
}

VOID contexts_start(BOOL by_thread)
{
    if (!Most() && by_thread && (where_by & WHERE_THREAD))
        calltree_start(0, TRUE);
    if (!Most())
        return;
    contexts_asked = where_wants_lines = TRUE;
    where_wants_fine = !(where_by & ~UINT32(WHERE_THREAD)); // by line then
    calltree_start(Most(), TRUE);
}

// --- results ------------------------------------------------------------------------------------------------------------

static VOID Each(const CallNode *node, THREADID tid, const std::function<VOID(UINT32, UINT64, const CallNode *, THREADID)> &f)
{
    for (const CallCounter *c = node->counters; c; c = c->next)
        if (c->n)
            f(c->what, c->n, node, tid);
    for (const CallNode *child = node->child; child; child = child->sibling)
        Each(child, tid, f);
}

VOID contexts_each(const std::function<VOID(UINT32, UINT64, const CallNode *, THREADID)> &f)
{
    for (const CallTree *t : calltrees)
        Each(t->root, t->tid, f);
}

// -by thread alone says nothing of places.
static ResultPlace PlaceOf(UINT32 id, THREADID tid)
{
    ResultPlace p = where_by & ~UINT32(WHERE_THREAD) ? where_reduced(id, int(tid)) : where_place(id);
    if (!(where_by & (WHERE_INS | WHERE_BLOCK)))
        p.address = 0;
    p.tid = where_by & WHERE_THREAD ? int(tid) : -1;
    return p;
}

Context contexts_of(UINT32 id, const CallNode *node, THREADID tid)
{
    Context all = {PlaceOf(id, tid)};
    for (; node->parent; node = node->parent) {
        all.push_back(where_place(node->site));
        if (!(where_by & (WHERE_INS | WHERE_BLOCK)))
            all.back().address = 0;
    }
    return all;
}

VOID ContextCounts::Add(UINT32 id, const CallNode *node, THREADID tid, size_t metric, UINT64 n)
{
    ResultValues &v = sums[contexts_of(id, node, tid)];
    v.resize(metrics);
    v[metric] += n;
}

VOID ContextCounts::Into(Result *r) const
{
    std::map<ResultPlace, int> index; // of the result's frames
    for (const auto &sum : sums) {
        ResultStack s = {{}, sum.first.size() == Most() + 1, sum.first[0].tid, sum.second};
        for (auto p = sum.first.rbegin(); p != sum.first.rend(); ++p) {
            ResultPlace place = *p;
            place.tid = -1; // the stack has it
            auto at = index.emplace(place, int(r->frames.size()));
            if (at.second)
                r->frames.push_back(place);
            s.frames.push_back(at.first->second);
        }
        r->stacks.push_back(s);
    }
    std::stable_sort(r->stacks.begin(), r->stacks.end(), [](const ResultStack &a, const ResultStack &b) { return a.values > b.values; });
    r->tells_stacks = true;
}

VOID contexts_reset() { calltree_reset(); }

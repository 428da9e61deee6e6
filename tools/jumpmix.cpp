// SPDX-License-Identifier: Apache-2.0
// jumpmix: how often control flow instructions of each kind were executed, and how often they jumped; by place with -by.
#include "lib/contexts.h"
#include "region.h"

enum Kind { CONDITIONAL, DIRECT_JUMP, INDIRECT_JUMP, DIRECT_CALL, INDIRECT_CALL, RETURN, SYSCALL, OTHER, KINDS };
static const char *const names[] = {"conditional branch", "direct jump", "indirect jump", "direct call", "indirect call", "return", "system call", "other"};

struct Site {
    UINT64 executed, taken; // taken: of conditional ones
    UINT32 where;
    Kind kind;
};
static std::vector<Site *> sites;

static Kind KindOf(INS ins)
{
    if (INS_IsSyscall(ins))
        return SYSCALL;
    if (INS_IsRet(ins))
        return RETURN;
    if (INS_IsCall(ins))
        return INS_IsDirectCall(ins) ? DIRECT_CALL : INDIRECT_CALL;
    if (!INS_IsBranch(ins))
        return OTHER;
    if (INS_HasFallThrough(ins))
        return CONDITIONAL;
    return INS_IsDirectBranch(ins) ? DIRECT_JUMP : INDIRECT_JUMP;
}

static VOID Conditional(Site *site, BOOL taken)
{
    tool_add(&site->executed, 1);
    tool_add(&site->taken, taken);
}

// What is counted by call stack and by thread: a site's executions, and its jumps.
static UINT32 NumberOf(size_t site, BOOL is_taken) { return UINT32(site) * 2 + is_taken; }

static VOID CountInCalls(INS ins, const Site &site)
{
    contexts_count(ins, NumberOf(sites.size() - 1, FALSE));
    if (site.kind == CONDITIONAL)
        contexts_count_taken(ins, NumberOf(sites.size() - 1, TRUE));
}

static VOID Instruction(INS ins, VOID *)
{
    if ((!INS_IsControlFlow(ins) && !INS_IsSyscall(ins)) || !where_wanted(INS_Address(ins)))
        return;
    Site *site = new Site{0, 0, where_note(INS_Address(ins)), KindOf(ins)};
    sites.push_back(site);
    if (contexts_asked || (where_by & WHERE_THREAD))
        CountInCalls(ins, *site);
    if (site->kind == CONDITIONAL)
        REGION_CALL(ins, AFUNPTR(Conditional), IARG_PTR, site, IARG_BRANCH_TAKEN, IARG_END);
    else
        REGION_CALL(ins, AFUNPTR(tool_count), IARG_PTR, &site->executed, IARG_END);
}

static UINT64 TakenOf(const Site &site) { return site.kind == CONDITIONAL ? site.taken : site.kind == SYSCALL ? 0 : site.executed; }

// add(noted address, node, thread, metric, n)
template <class F> static VOID EachInCalls(F add)
{
    contexts_each([&](UINT32 number, UINT64 n, const CallNode *node, THREADID tid) {
        const Site &s = *sites[number / 2];
        if (number == NumberOf(number / 2, FALSE))
            add(s.where, node, tid, 0, n);
        if (s.kind == CONDITIONAL ? number != NumberOf(number / 2, FALSE) : s.kind != SYSCALL)
            add(s.where, node, tid, 1, n);
    });
}

static VOID AddStacks(Result *r)
{
    ContextCounts stacks(2);
    EachInCalls([&](UINT32 where, const CallNode *node, THREADID tid, size_t metric, UINT64 n) { stacks.Add(where, node, tid, metric, n); });
    stacks.Into(r);
}

static VOID AddRows(WhereCounts *counts)
{
    if (where_by & WHERE_THREAD) {
        EachInCalls([&](UINT32 where, const CallNode *, THREADID tid, size_t metric, UINT64 n) { counts->Add(where, int(tid), metric, n); });
        return;
    }
    for (const Site *s : sites)
        if (s->executed) {
            counts->Add(s->where, -1, 0, s->executed);
            counts->Add(s->where, -1, 1, TakenOf(*s));
        }
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    WhereCounts counts(2);
    UINT64 executed[KINDS] = {}, taken[KINDS] = {};
    where_begin(&r, info);
    r.metrics = {{"executed", "count", "control flow instructions executed"}, {"taken", "count", "of these, those that jumped"}};
    for (const Site *s : sites) {
        executed[s->kind] += s->executed;
        taken[s->kind] += TakenOf(*s);
    }
    AddRows(&counts);
    counts.Into(&r);
    if (contexts_asked)
        AddStacks(&r);
    ResultTable t = {"jumps", "", {{"kind", "text"}, {"executed", "count"}, {"taken", "count"}, {"share", "percent"}}, {}};
    for (int k = 0; k < KINDS; k++)
        if (executed[k])
            t.rows.push_back({names[k], executed[k], taken[k], tool_percent(taken[k], executed[k])});
    r.tables.push_back(t);
    where_write(&r);
}

static VOID InChild()
{
    for (Site *s : sites)
        s->executed = s->taken = 0;
    contexts_reset();
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"jumpmix", "how often control flow instructions of each kind were executed and taken", "", "20", "folded speedscope"});
    contexts_start(TRUE);
    INS_AddInstrumentFunction(Instruction, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

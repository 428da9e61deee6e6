// SPDX-License-Identifier: Apache-2.0
// bpred: branch predictors and how often they are wrong: two-bit counters by address (bimodal) or by address and history (gshare) for conditional branches, the last target
// for indirect jumps and calls, a stack for returns. One set of predictors for each thread, as if each had a core. Which branches are wrong is told by place (-by).
#include "lib/callers.h"
#include "predictor.h"
#include "region.h"

#include <sys/mman.h>
#include <vector>

static KNOB<UINT32> KnobBits(KNOB_MODE_WRITEONCE, "pintool", "bits", "12", "tables have 2^bits entries");
static KNOB<UINT32> KnobReturns(KNOB_MODE_WRITEONCE, "pintool", "returns", "16", "entries of the stack that predicts returns");

enum Predictor { BIMODAL, GSHARE, TARGET, RETURN, PREDICTORS };
static const char *const names[] = {"conditional, bimodal", "conditional, gshare", "indirect target", "return"};

// How often a branch was executed and mispredicted (conditional ones: by gshare).
struct Scores {
    UINT64 executed, wrong;
};

struct Core {
    BranchPredictor predictor;
    UINT64 predicted[PREDICTORS], wrong[PREDICTORS];
    Scores *own; // with -by thread: of each branch
};
static const size_t OWN_MAX = 1u << 20; // branches: address space, not memory

struct Branch {
    UINT32 where, number;
    UINT64 executed, wrong;
};
static std::vector<Branch *> branches;
static std::unordered_map<UINT32, Branch *> branch_index;
static Core *cores[PIN_MAX_THREADS];

static BOOL Score(Core *c, Predictor p, BOOL right)
{
    c->predicted[p]++;
    c->wrong[p] += !right;
    return !right;
}

// Is there something to tell, a wrong prediction of a branch that was asked for?
static BOOL Note(Core *c, Branch *b, BOOL wrong)
{
    if (!b)
        return FALSE;
    if (c->own) {
        c->own[b->number].executed++;
        c->own[b->number].wrong += wrong;
    }
    tool_add(&b->executed, 1);
    if (wrong)
        tool_add(&b->wrong, 1);
    return wrong;
}

static BOOL Conditional(THREADID tid, ADDRINT pc, BOOL taken, Branch *b)
{
    Core *c = cores[tid];
    Score(c, BIMODAL, c->predictor.Bimodal(pc, taken));
    return Note(c, b, Score(c, GSHARE, c->predictor.Gshare(pc, taken)));
}

static BOOL Indirect(THREADID tid, ADDRINT pc, ADDRINT target, Branch *b)
{
    Core *c = cores[tid];
    return Note(c, b, Score(c, TARGET, c->predictor.Target(pc, target)));
}

static VOID Call(THREADID tid, ADDRINT next)
{
    cores[tid]->predictor.Call(next);
}

static BOOL Return(THREADID tid, ADDRINT, ADDRINT target, Branch *b)
{
    Core *c = cores[tid];
    return Note(c, b, Score(c, RETURN, c->predictor.Return(target)));
}

// The same with -stack: where the branch was called from is asked only when it was wrong.
template <BOOL (*PREDICT)(THREADID, ADDRINT, ADDRINT, Branch *)> static VOID AndStack(THREADID tid, ADDRINT pc, ADDRINT where, Branch *b, ADDRINT sp, ADDRINT bp)
{
    if (PREDICT(tid, pc, where, b))
        callers_count(callers_take(tid, pc, sp, bp), 0, 1);
}
static BOOL ConditionalTo(THREADID tid, ADDRINT pc, ADDRINT taken, Branch *b) { return Conditional(tid, pc, BOOL(taken), b); }
static BOOL by_stack;

// NULL: a branch that nobody asked for. The predictors see it all the same, since they have to know what they would know.
static Branch *BranchOf(INS ins)
{
    if (!where_wanted(INS_Address(ins)))
        return NULL;
    UINT32 where = where_note(INS_Address(ins));
    Branch *&b = branch_index[where];
    if (!b)
        branches.push_back(b = new Branch{where, UINT32(branches.size()), 0, 0});
    if ((where_by & WHERE_THREAD) && b->number >= OWN_MAX) {
        fprintf(stderr, "E: bpred: more than %zu branches: not with -by thread\n", OWN_MAX);
        PIN_ExitProcess(1);
    }
    return b;
}

#define PREDICT(function, stack_function, ...)                                                                                                                             \
    do {                                                                                                                                                                   \
        if (by_stack)                                                                                                                                                      \
            REGION_CALL(ins, AFUNPTR(AndStack<stack_function>), IARG_THREAD_ID, IARG_INST_PTR, __VA_ARGS__, IARG_PTR, BranchOf(ins), IARG_REG_VALUE, REG_STACK_PTR,          \
                IARG_REG_VALUE, REG_GBP, IARG_END);                                                                                                                        \
        else                                                                                                                                                               \
            REGION_CALL(ins, AFUNPTR(function), IARG_THREAD_ID, IARG_INST_PTR, __VA_ARGS__, IARG_PTR, BranchOf(ins), IARG_END);                                             \
    } while (0)

static VOID Instruction(INS ins, VOID *)
{
    if (INS_IsRet(ins))
        PREDICT(Return, Return, IARG_BRANCH_TARGET_ADDR);
    else if (INS_IsIndirectControlFlow(ins) && (INS_IsBranch(ins) || INS_IsCall(ins)))
        PREDICT(Indirect, Indirect, IARG_BRANCH_TARGET_ADDR);
    else if (INS_IsBranch(ins) && INS_HasFallThrough(ins))
        PREDICT(Conditional, ConditionalTo, IARG_BRANCH_TAKEN);
    if (INS_IsCall(ins))
        REGION_CALL(ins, AFUNPTR(Call), IARG_THREAD_ID, IARG_ADDRINT, INS_NextAddress(ins), IARG_END);
}

static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *)
{
    Core *c = cores[tid] ? cores[tid] : new Core(); // a thread number may be used again
    if ((where_by & WHERE_THREAD) && !c->own) {
        VOID *scores = mmap(NULL, OWN_MAX * sizeof(Scores), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (scores == MAP_FAILED) {
            fprintf(stderr, "E: bpred: no address space for the counters of thread %u\n", tid);
            PIN_ExitProcess(1);
        }
        c->own = static_cast<Scores *>(scores);
    }
    c->predictor.Reset(KnobBits.Value(), KnobReturns.Value());
    cores[tid] = c;
}

static VOID Predictors(Result *result)
{
    ResultTable table = {"predictors", "", {{"predictor", "text"}, {"predicted", "count"}, {"wrong", "count"}, {"share", "percent"}}, {}};
    for (int p = 0; p < PREDICTORS; p++) {
        UINT64 predicted = 0, wrong = 0;
        for (UINT32 t = 0; t < PIN_MAX_THREADS; t++) {
            predicted += cores[t] ? cores[t]->predicted[p] : 0;
            wrong += cores[t] ? cores[t]->wrong[p] : 0;
        }
        table.rows.push_back({names[p], predicted, wrong, tool_percent(wrong, predicted)});
    }
    result->tables.push_back(table);
}

static VOID AddRow(WhereCounts *counts, const Branch *b, int tid, UINT64 wrong, UINT64 executed)
{
    if (!executed)
        return;
    counts->Add(b->where, tid, 0, wrong);
    counts->Add(b->where, tid, 1, executed);
}

static VOID AddRows(WhereCounts *counts)
{
    if (!(where_by & WHERE_THREAD)) {
        for (const Branch *b : branches)
            AddRow(counts, b, -1, b->wrong, b->executed);
        return;
    }
    for (UINT32 t = 0; t < PIN_MAX_THREADS; t++)
        for (const Branch *b : branches)
            if (cores[t])
                AddRow(counts, b, int(t), cores[t]->own[b->number].wrong, cores[t]->own[b->number].executed);
}

static VOID Results(const lp_results_info *info)
{
    Result result;
    WhereCounts counts(2);
    where_begin(&result, info);
    result.metrics = {{"mispredicted", "count", "branches, indirect jumps and returns whose prediction was wrong (conditional: gshare)"}, {"branches", "count", "those that were predicted"}};
    AddRows(&counts);
    counts.Into(&result);
    if (by_stack)
        callers_into(&result);
    Predictors(&result);
    where_write(&result);
}

// The child of a fork counts its own; its predictors know what they knew.
static VOID InChild()
{
    if (by_stack)
        callers_reset();
    for (Branch *b : branches)
        b->executed = b->wrong = 0;
    for (Core *c : cores)
        if (c) {
            memset(c->predicted, 0, sizeof c->predicted);
            memset(c->wrong, 0, sizeof c->wrong);
            if (c->own)
                memset(c->own, 0, branches.size() * sizeof *c->own);
        }
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"bpred", "which branches are mispredicted", "ins", "20", "callgrind folded speedscope"});
    if (KnobBits.Value() > 24 || !KnobReturns.Value()) {
        fprintf(stderr, "E: bpred: -bits at most 24, -returns at least 1\n");
        return 1;
    }
    by_stack = callers_start(2);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

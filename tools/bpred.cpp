// SPDX-License-Identifier: Apache-2.0
// bpred: branch predictors and how often they are wrong: two-bit counters by address (bimodal) or by address and history (gshare) for conditional branches, the last target
// for indirect jumps and calls, a stack for returns. One set of predictors for each thread, as if each had a core.
#include "region.h"

#include <vector>

static KNOB<UINT32> KnobBits(KNOB_MODE_WRITEONCE, "pintool", "bits", "12", "tables have 2^bits entries");
static KNOB<UINT32> KnobStack(KNOB_MODE_WRITEONCE, "pintool", "stack", "16", "entries of the return stack");

enum Predictor { BIMODAL, GSHARE, TARGET, RETURN, PREDICTORS };
static const char *const names[] = {"conditional, bimodal", "conditional, gshare", "indirect target", "return"};

struct Core {
    std::vector<UINT8> bimodal, gshare; // 0..3, taken from 2
    std::vector<ADDRINT> target, stack;
    UINT32 history, depth;
    UINT64 predicted[PREDICTORS], wrong[PREDICTORS];
};
static Core *cores[PIN_MAX_THREADS];

static UINT32 Mask() { return (1u << KnobBits.Value()) - 1; }

static VOID Score(Core *c, Predictor p, BOOL right)
{
    c->predicted[p]++;
    c->wrong[p] += !right;
}

static VOID Train(Core *c, Predictor p, UINT8 *counter, BOOL taken)
{
    Score(c, p, (*counter >= 2) == taken);
    if (taken && *counter < 3)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
}

static VOID Conditional(THREADID tid, ADDRINT pc, BOOL taken)
{
    Core *c = cores[tid];
    Train(c, BIMODAL, &c->bimodal[pc & Mask()], taken);
    Train(c, GSHARE, &c->gshare[(pc ^ c->history) & Mask()], taken);
    c->history = c->history << 1 | taken;
}

static VOID Indirect(THREADID tid, ADDRINT pc, ADDRINT target)
{
    Core *c = cores[tid];
    ADDRINT *last = &c->target[pc & Mask()];
    Score(c, TARGET, *last == target);
    *last = target;
}

static VOID Call(THREADID tid, ADDRINT next)
{
    Core *c = cores[tid];
    c->stack[c->depth++ % c->stack.size()] = next;
}

static VOID Return(THREADID tid, ADDRINT target)
{
    Core *c = cores[tid];
    Score(c, RETURN, c->stack[--c->depth % c->stack.size()] == target);
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_IsRet(ins))
        REGION_CALL(ins, AFUNPTR(Return), IARG_THREAD_ID, IARG_BRANCH_TARGET_ADDR, IARG_END);
    else if (INS_IsIndirectControlFlow(ins) && (INS_IsBranch(ins) || INS_IsCall(ins)))
        REGION_CALL(ins, AFUNPTR(Indirect), IARG_THREAD_ID, IARG_INST_PTR, IARG_BRANCH_TARGET_ADDR, IARG_END);
    else if (INS_IsBranch(ins) && INS_HasFallThrough(ins))
        REGION_CALL(ins, AFUNPTR(Conditional), IARG_THREAD_ID, IARG_INST_PTR, IARG_BRANCH_TAKEN, IARG_END);
    if (INS_IsCall(ins))
        REGION_CALL(ins, AFUNPTR(Call), IARG_THREAD_ID, IARG_ADDRINT, INS_NextAddress(ins), IARG_END);
}

static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *)
{
    Core *c = cores[tid] ? cores[tid] : new Core(); // a thread number may be used again
    c->bimodal.assign(Mask() + 1, 1);
    c->gshare.assign(Mask() + 1, 1);
    c->target.assign(Mask() + 1, 0);
    c->stack.assign(KnobStack.Value(), 0);
    c->history = c->depth = 0;
    cores[tid] = c;
}

static VOID Fini(INT32, VOID *)
{
    fprintf(out, "%-22s %15s %15s\n", "predictor", "predicted", "wrong");
    for (int p = 0; p < PREDICTORS; p++) {
        UINT64 predicted = 0, wrong = 0;
        for (UINT32 t = 0; t < PIN_MAX_THREADS; t++) {
            predicted += cores[t] ? cores[t]->predicted[p] : 0;
            wrong += cores[t] ? cores[t]->wrong[p] : 0;
        }
        fprintf(out, "%-22s %15lu %15lu %7.3f%%\n", names[p], predicted, wrong, tool_percent(wrong, predicted));
    }
    fflush(out);
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "bpred: branch predictors");
    region_start();
    if (KnobBits.Value() > 24 || !KnobStack.Value()) {
        fprintf(stderr, "E: bpred: -bits at most 24, -stack at least 1\n");
        return 1;
    }
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

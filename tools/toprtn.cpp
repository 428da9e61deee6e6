// SPDX-License-Identifier: Apache-2.0
// toprtn: where the instructions go: for each routine how many ran in it and how many in it and all that it called. What proccount counts, and the calls above it.
#include "tool.h"

#include <algorithm>
#include <map>
#include <vector>

static KNOB<UINT32> KnobTop(KNOB_MODE_WRITEONCE, "pintool", "top", "20", "print this many routines (0: all)");
static KNOB<BOOL> KnobSelf(KNOB_MODE_WRITEONCE, "pintool", "self", "0", "sorted by the routine's own instructions");

struct Routine {
    std::string name;
    UINT64 self, all, calls;
};
static std::map<std::string, Routine> routines;
static std::map<ADDRINT, Routine *> known; // by address, for calls whose target only the call knows
static PIN_LOCK lock;

// A call that has not returned. It is over when the stack pointer is where it was before, or above: so longjmp and exceptions do no harm.
struct Frame {
    Routine *routine;
    ADDRINT sp;
    UINT64 from; // the thread's instructions when it began
    BOOL outermost; // not called by itself, however far up
};
struct Thread {
    UINT64 instructions;
    std::vector<Frame> frames;
    std::map<Routine *, UINT32> active;
};
static Thread *threads[PIN_MAX_THREADS];

static Routine *Find(ADDRINT address)
{
    PIN_LockClient();
    PIN_GetLock(&lock, 1);
    Routine *&r = known[address];
    if (!r) {
        std::string name = RTN_Valid(RTN_FindByAddress(address)) ? tool_name_of(address) : std::string("(no routine)");
        r = &routines[name];
        r->name = name;
    }
    Routine *found = r;
    PIN_ReleaseLock(&lock);
    PIN_UnlockClient();
    return found;
}

static VOID Leave(Thread *t, ADDRINT sp)
{
    while (!t->frames.empty() && t->frames.back().sp <= sp) {
        Frame &f = t->frames.back();
        t->active[f.routine]--;
        if (f.outermost)
            tool_add(&f.routine->all, t->instructions - f.from);
        t->frames.pop_back();
    }
}

static VOID Enter(THREADID tid, Routine *routine, ADDRINT sp)
{
    Thread *t = threads[tid];
    Leave(t, sp);
    Frame f = {routine, sp, t->instructions, !t->active[routine]++};
    t->frames.push_back(f);
    tool_add(&routine->calls, 1);
}

static VOID EnterAt(THREADID tid, ADDRINT target, ADDRINT sp) { Enter(tid, Find(target), sp); }

// A return takes at least its address from the stack.
static VOID Return(THREADID tid, ADDRINT sp) { Leave(threads[tid], sp + sizeof(ADDRINT)); }

static VOID Count(THREADID tid, Routine *routine, UINT32 n)
{
    if (threads[tid]->frames.empty())
        Enter(tid, routine, ~ADDRINT(0)); // where the thread begins: nothing returns from there
    threads[tid]->instructions += n;
    tool_add(&routine->self, n);
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        INS last = BBL_InsTail(bbl);
        BBL_InsertCall(bbl, IPOINT_BEFORE, AFUNPTR(Count), IARG_THREAD_ID, IARG_PTR, Find(BBL_Address(bbl)), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
        if (INS_IsRet(last))
            INS_InsertCall(last, IPOINT_BEFORE, AFUNPTR(Return), IARG_THREAD_ID, IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
        else if (INS_IsCall(last) && INS_IsDirectControlFlow(last))
            INS_InsertCall(last, IPOINT_BEFORE, AFUNPTR(Enter), IARG_THREAD_ID, IARG_PTR, Find(INS_DirectControlFlowTargetAddress(last)), IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
        else if (INS_IsCall(last))
            INS_InsertCall(last, IPOINT_BEFORE, AFUNPTR(EnterAt), IARG_THREAD_ID, IARG_BRANCH_TARGET_ADDR, IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
    }
}

static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *) { threads[tid] = new Thread(); }

static VOID ThreadFini(THREADID tid, const CONTEXT *, INT32, VOID *)
{
    Leave(threads[tid], ~ADDRINT(0)); // routines that never returned: main, exit
}

static bool More(const Routine &a, const Routine &b) { return KnobSelf ? a.self > b.self : a.all > b.all; }

// With what calls that have not returned have executed so far.
static Routine SoFar(const Routine &routine)
{
    Routine r = routine;
    for (const Thread *t : threads)
        for (size_t i = 0; t && i < t->frames.size(); i++)
            if (t->frames[i].routine == &routine && t->frames[i].outermost)
                r.all += t->instructions - t->frames[i].from;
    return r;
}

static VOID Fini(INT32, VOID *)
{
    std::vector<Routine> rows;
    UINT64 total = 0;
    for (std::map<std::string, Routine>::iterator i = routines.begin(); i != routines.end(); ++i) {
        Routine r = SoFar(i->second);
        if (r.self || r.all)
            rows.push_back(r);
        total += i->second.self;
    }
    std::stable_sort(rows.begin(), rows.end(), More);
    fprintf(out, "%15s %8s %15s %8s %12s  %s\n", "with callees", "", "self", "", "calls", "routine");
    for (size_t i = 0; i < rows.size() && (!KnobTop.Value() || i < KnobTop.Value()); i++)
        fprintf(out, "%15lu %7.2f%% %15lu %7.2f%% %12lu  %s\n", rows[i].all, tool_percent(rows[i].all, total), rows[i].self, tool_percent(rows[i].self, total), rows[i].calls, rows[i].name.c_str());
    fprintf(out, "%lu instructions, %lu routines\n", total, rows.size());
    fflush(out);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    for (auto &i : routines)
        i.second.self = i.second.all = i.second.calls = 0;
    for (Thread *t : threads)
        for (size_t i = 0; t && i < t->frames.size(); i++)
            t->frames[i].from = t->instructions;
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    tool_start(argc, argv, "toprtn: instructions of each routine, alone and with all that it called");
    tool_init_lock(&lock);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddThreadFiniFunction(ThreadFini, 0);
    tool_fini(Fini, FALSE, InChild);
    PIN_StartProgram();
}

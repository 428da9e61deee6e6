// SPDX-License-Identifier: Apache-2.0
// Counts by the calls that led to them (callers.h).
#include "callers.h"
#include "unwind.h"

#include <algorithm>

static KNOB<UINT32> KnobStack(KNOB_MODE_WRITEONCE, "pintool", "stack", "0", "count also by call stack: the place and so many callers (at most 63)");

static UnwindStacks *stacks;
static Unwinder *unwinders[PIN_MAX_THREADS];
static std::unordered_map<UINT32, ResultValues> counts; // by stack
static PIN_LOCK lock;                                   // of counts
static size_t width;                                    // values of each

// Formats that are made of stacks have all that there is room for, unless something else is asked for.
static UINT32 Most() { return std::min(!KnobStack && (KnobFormat.Value() == "folded" || KnobFormat.Value() == "speedscope") ? 63 : KnobStack.Value(), 63u); }
static UINT32 Room() { return Most() + 1; }

static VOID Unload(IMG img, VOID *) { stacks->Leave(IMG_LowAddress(img), IMG_HighAddress(img)); }

// In the child of a fork the other threads are not there, and cannot hold what they hold.
static VOID BeforeFork(THREADID, const CONTEXT *, VOID *)
{
    PIN_GetLock(&lock, 1);
    unwind_before_fork();
    PIN_GetLock(stacks->Lock(), 1);
}
static VOID AfterFork(THREADID, const CONTEXT *, VOID *)
{
    PIN_ReleaseLock(stacks->Lock());
    unwind_after_fork();
    PIN_ReleaseLock(&lock);
}

BOOL callers_start(size_t metrics)
{
    if (!Most())
        return FALSE;
    width = metrics;
    where_wants_lines = TRUE;
    stacks = new UnwindStacks();
    PIN_InitLock(&lock);
    unwind_start();
    IMG_AddUnloadFunction(Unload, 0);
    PIN_AddForkFunction(FPOINT_BEFORE, BeforeFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, AfterFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, AfterFork, 0);
    return TRUE;
}

UINT32 callers_take(THREADID tid, ADDRINT pc, ADDRINT sp, ADDRINT bp)
{
    ADDRINT frames[64];
    if (!unwinders[tid])
        unwinders[tid] = new Unwinder(); // each thread makes its own
    return stacks->Keep(frames, unwinders[tid]->Take(pc, sp, bp, FALSE, frames, Room()));
}

VOID callers_count(UINT32 stack, size_t metric, UINT64 n)
{
    Locked locked(&lock);
    ResultValues &v = counts[stack];
    v.resize(width);
    v[metric] += n;
}

VOID callers_into(Result *r)
{
    std::unordered_map<UINT32, ResultValues> now;
    {
        Locked locked(&lock);
        now = counts;
    }
    for (const auto &i : now) {
        ResultStack s = {stacks->Frames(i.first, r), FALSE, -1, i.second};
        s.cut = s.frames.size() == Room();
        std::reverse(s.frames.begin(), s.frames.end());
        r->stacks.push_back(s);
    }
    std::sort(r->stacks.begin(), r->stacks.end(), [](const ResultStack &a, const ResultStack &b) { return a.values != b.values ? a.values > b.values : a.frames < b.frames; });
    r->tells_stacks = true;
}

VOID callers_reset()
{
    Locked locked(&lock);
    counts.clear();
}

// SPDX-License-Identifier: Apache-2.0
// The part of the run that is counted or traced (region.h): the controller's regions, threads, and the end of the run after so many instructions.
#include "region.h"

#include "control_manager.H"

static KNOB<INT32> KnobTid(KNOB_MODE_APPEND, "pintool", "tid", "-1", "only this thread (0 is the first); may be given more than once");
static KNOB<UINT64> KnobStopAfter(KNOB_MODE_WRITEONCE, "pintool", "stop_after", "0", "end the run when the process has executed so many instructions, and give the results (0: never)");

UINT8 region_inside[PIN_MAX_THREADS];
BOOL region_asked, region_began, region_stopped;

static CONTROLLER::CONTROL_MANAGER control;
static BOOL has_regions;
static UINT8 of_all; // what a new thread begins with
static UINT64 budget;  // instructions until the end of the run, and less

static BOOL IsThread(THREADID tid)
{
    BOOL all = TRUE;
    for (UINT32 i = 0; i < KnobTid.NumberOfValues(); i++) {
        if (KnobTid.Value(i) == INT32(tid))
            return TRUE;
        all &= KnobTid.Value(i) < 0;
    }
    return all;
}

static VOID Set(THREADID tid, UINT8 inside)
{
    region_inside[tid] = inside && IsThread(tid);
    region_began |= region_inside[tid];
}

static VOID Event(CONTROLLER::EVENT_TYPE event, VOID *, CONTEXT *, VOID *, THREADID tid, BOOL bcast)
{
    if (event != CONTROLLER::EVENT_START && event != CONTROLLER::EVENT_STOP)
        return;
    UINT8 inside = event == CONTROLLER::EVENT_START;
    Set(tid, inside);
    if (!bcast)
        return;
    of_all = inside;
    for (THREADID t = 0; t < PIN_MAX_THREADS; t++)
        if (t != tid)
            region_inside[t] = inside && IsThread(t);
}

static VOID Thread(THREADID tid, CONTEXT *, INT32, VOID *) { Set(tid, of_all); }

// Below 0 the number is huge.
static ADDRINT IsOver(UINT32 n) { return INT64(__atomic_sub_fetch(&budget, n, __ATOMIC_RELAXED)) <= 0; }

static VOID Stop()
{
    region_stopped = TRUE;
    PIN_ExitApplication(0);
}

static VOID Blocks(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        INS_InsertIfCall(BBL_InsTail(bbl), IPOINT_BEFORE, AFUNPTR(IsOver), IARG_UINT32, BBL_NumIns(bbl), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_END);
        INS_InsertThenCall(BBL_InsTail(bbl), IPOINT_BEFORE, AFUNPTR(Stop), IARG_CALL_ORDER, CALL_ORDER_LAST, IARG_END);
    }
}

VOID region_start()
{
    budget = KnobStopAfter;
    if (budget)
        TRACE_AddInstrumentFunction(Blocks, 0);
    has_regions = control.IsAsked();
    BOOL threads = FALSE;
    for (UINT32 i = 0; i < KnobTid.NumberOfValues(); i++)
        threads |= KnobTid.Value(i) >= 0;
    region_asked = has_regions || threads;
    if (!region_asked)
        return;
    of_all = !has_regions;
    PIN_AddThreadStartFunction(Thread, 0);
    if (!has_regions)
        return;
    PIN_InitSymbols();
    control.RegisterHandler(Event, 0, FALSE);
    control.Activate();
}

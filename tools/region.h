/* SPDX-License-Identifier: Apache-2.0
 * For tools that count or trace: only the part of the program that the user asks for with -control and its kin (docs/instlib.md). Without such an option nothing is inserted, and it costs nothing.
 * A region begins with the instruction at which its start is raised and ends before that of its stop. */
#ifndef REGION_H
#define REGION_H
#include "tool.h"

#include "control_manager.H"

static CONTROLLER::CONTROL_MANAGER region_control;
static UINT8 region_inside[PIN_MAX_THREADS];
static UINT8 region_of_all; /* what a new thread begins with */
static BOOL region_asked;

static VOID region_event(CONTROLLER::EVENT_TYPE event, VOID *, CONTEXT *, VOID *, THREADID tid, BOOL bcast)
{
    if (event != CONTROLLER::EVENT_START && event != CONTROLLER::EVENT_STOP)
        return;
    UINT8 inside = event == CONTROLLER::EVENT_START;
    region_inside[tid] = inside;
    if (bcast) {
        region_of_all = inside;
        memset(region_inside, inside, sizeof region_inside);
    }
}
static VOID region_thread(THREADID tid, CONTEXT *, INT32, VOID *) { region_inside[tid] = region_of_all; }

/* Analysis. */
static ADDRINT PIN_FAST_ANALYSIS_CALL region_is_inside(THREADID tid) { return region_inside[tid]; }

/* After tool_start, before the tool's own instrumentation functions. */
static inline VOID region_start()
{
    region_asked = region_control.IsAsked();
    if (!region_asked)
        return;
    PIN_InitSymbols();
    PIN_AddThreadStartFunction(region_thread, 0);
    region_control.RegisterHandler(region_event, 0, FALSE);
    region_control.Activate();
}

/* INS_InsertCall, INS_InsertPredicatedCall, within the region. */
#define REGION_CALL_(Kind, ins, ...)                                                                                                                                       \
    do {                                                                                                                                                                   \
        if (region_asked) {                                                                                                                                                \
            INS_InsertIf##Kind##Call(ins, IPOINT_BEFORE, AFUNPTR(region_is_inside), IARG_FAST_ANALYSIS_CALL, IARG_THREAD_ID, IARG_END);                                     \
            INS_InsertThen##Kind##Call(ins, IPOINT_BEFORE, __VA_ARGS__);                                                                                                    \
        } else                                                                                                                                                             \
            INS_Insert##Kind##Call(ins, IPOINT_BEFORE, __VA_ARGS__);                                                                                                        \
    } while (0)
#define REGION_CALL(ins, ...) REGION_CALL_(, ins, __VA_ARGS__)
#define REGION_PREDICATED_CALL(ins, ...) REGION_CALL_(Predicated, ins, __VA_ARGS__)

/* The pieces of a block that are executed as a whole: all of it, or each instruction, since a region may begin or end at any. */
static inline INS region_piece(BBL bbl) { return BBL_InsHead(bbl); }
static inline INS region_next_piece(INS ins) { return region_asked ? INS_Next(ins) : INS_Invalid(); }
static inline UINT32 region_piece_size(BBL bbl) { return region_asked ? 1 : BBL_NumIns(bbl); }

#endif

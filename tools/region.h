/* SPDX-License-Identifier: Apache-2.0
 * For tools that count or trace: only the part of the program that the user asks for with -control and its kin (docs/instlib.md). Without such an option nothing is inserted, and it costs nothing.
 * -tid chooses threads in the same way, and -stop_after ends the run. A region begins with the instruction at which its start is raised and ends before that of its stop. */
#ifndef REGION_H
#define REGION_H
#include "tool.h"

extern UINT8 region_inside[PIN_MAX_THREADS];
extern BOOL region_asked; /* something was: calls have to look */
extern BOOL region_began; /* for some thread, at some time */
extern BOOL region_stopped; /* -stop_after has ended the run */

/* After tool_start, before the tool's own instrumentation functions. */
VOID region_start();

/* Analysis. */
__attribute__((unused)) static ADDRINT PIN_FAST_ANALYSIS_CALL region_is_inside(THREADID tid) { return region_inside[tid]; }

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

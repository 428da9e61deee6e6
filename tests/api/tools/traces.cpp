/* SPDX-License-Identifier: Apache-2.0
 * Traces and their blocks: what they say adds up, however traces are cut. Then If and Then calls of traces and of blocks: every second one that is entered is counted. */
#include "checks.h"

#include <algorithm>

static UINT64 asked, taken, asked_block, taken_block;
static ADDRINT EverySecond() { return ++asked & 1; }
static VOID Count() { taken++; }
static ADDRINT EverySecondBlock() { return ++asked_block & 1; }
static VOID CountBlock() { taken_block++; }

static VOID Trace(TRACE trace, VOID *)
{
    UINT32 blocks = 0, instructions = 0;
    ADDRINT bytes = 0, end = TRACE_Address(trace);
    BBL prev = BBL(), last = BBL();
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); prev = last = bbl, bbl = BBL_Next(bbl), blocks++) {
        TRUE_(BBL_Prev(bbl) == prev);
        EQUAL(BBL_Address(bbl), end); /* straight line */
        UINT32 n = 0;
        ADDRINT size = 0;
        INS tail = INS_Invalid();
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); tail = ins, ins = INS_Next(ins), n++) {
            EQUAL(INS_Address(ins), BBL_Address(bbl) + size);
            TRUE_(!INS_IsControlFlow(ins) || ins == BBL_InsTail(bbl)); /* a block has one way out, at its end */
            size += INS_Size(ins);
        }
        TRUE_(tail == BBL_InsTail(bbl));
        EQUAL(BBL_NumIns(bbl), n);
        EQUAL(BBL_Size(bbl), size);
        EQUAL(BBL_HasFallThrough(bbl), INS_HasFallThrough(tail));
        TRUE_(BBL_Original(bbl));
        BBL_InsertIfCall(bbl, IPOINT_BEFORE, AFUNPTR(EverySecondBlock), IARG_END);
        BBL_InsertThenCall(bbl, IPOINT_BEFORE, AFUNPTR(CountBlock), IARG_END);
        instructions += n;
        bytes += size;
        end = BBL_Address(bbl) + size;
    }
    EQUAL(TRACE_NumBbl(trace), blocks);
    EQUAL(TRACE_NumIns(trace), instructions);
    EQUAL(TRACE_Size(trace), bytes);
    TRUE_(TRACE_BblTail(trace) == last && TRACE_Original(trace));
    EQUAL(TRACE_HasFallThrough(trace), BBL_HasFallThrough(last));
    TRACE_InsertIfCall(trace, IPOINT_BEFORE, AFUNPTR(EverySecond), IARG_END);
    TRACE_InsertThenCall(trace, IPOINT_BEFORE, AFUNPTR(Count), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    TRUE_(asked > 1000);
    EQUAL(taken, (asked + 1) / 2);
    TRUE_(asked_block >= asked);
    EQUAL(taken_block, (asked_block + 1) / 2);
    Checked("traces", 200);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

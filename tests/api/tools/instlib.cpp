/* SPDX-License-Identifier: Apache-2.0
 * INSTLIB: ICOUNT counts what calls at every instruction count; filters let through what they are told to (setting only=NAME: the routine NAME). */
#include "checks.h"

#include "instlib.H"

extern "C" void __gcov_dump() __attribute__((weak));

static INSTLIB::ICOUNT icount;
static INSTLIB::FILTER filter;
static INSTLIB::FILTER_RTN by_routine("own_");
static INSTLIB::FILTER_LIB by_library("lib_");
static UINT64 counted, through, stopped;

static VOID PIN_FAST_ANALYSIS_CALL One() { counted++; }

static VOID Instruction(INS ins, VOID *) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(One), IARG_FAST_ANALYSIS_CALL, IARG_END); }

static VOID Trace(TRACE trace, VOID *)
{
    (filter.SelectTrace(trace) ? through : stopped)++;
    EQUAL(by_routine.SelectTrace(trace), filter.SelectTrace(trace));
    EQUAL(by_routine.SelectRtn(RTN_FindByAddress(TRACE_Address(trace))), by_routine.SelectTrace(trace));
    TRUE_(by_library.SelectTrace(trace)); /* its knob is off */
}

static VOID Fini(INT32, VOID *)
{
    EQUAL(icount.Count(), counted);
    EQUAL(icount.Mode(), INSTLIB::ICOUNT::ModeNormal);
    icount.SetCount(5);
    EQUAL(icount.Count(0), 5u);
    TRUE_(through > 0 && (stopped > 0) == (option("only") != 0));
    Checked("instlib", 10);
    if (__gcov_dump)
        __gcov_dump();
}

/* PIN_InitSymbols is the filter's business. */
int main(int argc, char **argv)
{
    begin(argc, argv);
    if (option("only")) {
        KNOB_BASE::FindKnob("filter_rtn")->AddValue(option("only"));
        KNOB_BASE::FindKnob("own_filter_rtn")->AddValue(option("only"));
    }
    icount.Activate();
    filter.Activate();
    by_routine.Activate();
    by_library.Activate();
    TRACE_AddInstrumentFunction(Trace, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

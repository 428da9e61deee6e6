/* SPDX-License-Identifier: Apache-2.0
 * BBL_SetTargetVersion is for the exits of the trace, from that block on: where the block goes on within the trace, the
 * version stays. A version case has its place among the calls in the order of insertion. Rule CC8. */
#include "golden.h"

static REG chosen;

static VOID Say(const char *what, ADDRINT version) { std::printf("%s in version %lu\n", what, version); }
static ADDRINT Choose() { return 5; }

static VOID Trace(TRACE trace, VOID *)
{
    ADDRINT version = TRACE_Version(trace);
    BBL head = TRACE_BblHead(trace);
    if (TRACE_Address(trace) == at("at_turn")) {
        TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, "turn", IARG_ADDRINT, version, IARG_END);
        BBL_SetTargetVersion(head, 1);
        if (option("second") && BBL_Valid(BBL_Next(head)))
            BBL_SetTargetVersion(BBL_Next(head), 2);
    } else if (version)
        TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, "trace", IARG_ADDRINT, version, IARG_END);
    for (BBL bbl = head; BBL_Valid(bbl); bbl = BBL_Next(bbl))
        if (is_at(BBL_InsHead(bbl), "at_end"))
            BBL_SetTargetVersion(bbl, 0);
    if (TRACE_Address(trace) == at("at_case") && !version) {
        INS ins = BBL_InsHead(head);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Choose), IARG_RETURN_REGS, chosen, IARG_END);
        INS_InsertVersionCase(ins, chosen, 5, 3, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, "after the case", IARG_ADDRINT, version, IARG_END);
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    chosen = PIN_ClaimToolRegister();
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Calls on REP instructions: those before and those after run for each iteration. Without an iteration, those that are
 * not predicated run once, and IARG_EXECUTING is false. */
#include "golden.h"

static VOID See(const char *what, ADDRINT count, ADDRINT to, BOOL executing)
{
    std::printf("%s %lu %lu%s\n", what, count, to & 15, executing ? "" : " not executed");
}

static ADDRINT IsOdd(ADDRINT count) { return count & 1; }

static VOID Then(ADDRINT count) { std::printf("odd %lu\n", count); }

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_HasRealRep(ins) || !in_range(ins))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(See), IARG_PTR, "before", IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE, REG_RDI,
                   IARG_EXECUTING, IARG_END);
    INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(See), IARG_PTR, "after", IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE, REG_RDI,
                   IARG_EXECUTING, IARG_END);
    INS_InsertPredicatedCall(ins, IPOINT_AFTER, AFUNPTR(See), IARG_PTR, "predicated", IARG_REG_VALUE, REG_RCX,
                             IARG_REG_VALUE, REG_RDI, IARG_EXECUTING, IARG_END);
    INS_InsertIfPredicatedCall(ins, IPOINT_AFTER, AFUNPTR(IsOdd), IARG_REG_VALUE, REG_RCX, IARG_END);
    INS_InsertThenPredicatedCall(ins, IPOINT_AFTER, AFUNPTR(Then), IARG_REG_VALUE, REG_RCX, IARG_END);
}

/* Calls after it only. */
static VOID Alone(INS ins, VOID *)
{
    if (is_at(ins, "at_alone"))
        INS_InsertPredicatedCall(ins, IPOINT_AFTER, AFUNPTR(See), IARG_PTR, "alone", IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE,
                                 REG_RDI, IARG_EXECUTING, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    std::setvbuf(stdout, 0, _IOFBF, 1 << 16);
    INS_AddInstrumentFunction(Instruction, 0);
    INS_AddInstrumentFunction(Alone, 0);
    PIN_StartProgram();
}

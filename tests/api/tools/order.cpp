/* SPDX-License-Identifier: Apache-2.0
 * The order of calls at one place, conditional calls, predicated calls. */
#include "golden.h"

static VOID Say(const char *text) { std::printf("%s\n", text); }
static VOID SayExecuting(ADDRINT pc, BOOL executing) { std::printf("0x%lx %s\n", pc, executing ? "executes" : "does not execute"); }
static VOID SayPredicated(ADDRINT pc) { std::printf("0x%lx predicated\n", pc); }
static ADDRINT Every(ADDRINT n, ADDRINT rax) { return rax % n == 0; }
static ADDRINT EverySlow(ADDRINT n, ADDRINT rax)
{
    std::printf("if rax 0x%lx\n", rax);
    return rax % n == 0;
}
static ADDRINT Bit(ADDRINT rax, UINT32 n) { return rax >> n & 1; }
static VOID Then(const char *text, ADDRINT rax) { std::printf("%s rax 0x%lx\n", text, rax); }

#define SAY(point, text, order) INS_InsertCall(ins, point, AFUNPTR(Say), IARG_PTR, text, IARG_CALL_ORDER, order, IARG_END)

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_order")) {
        SAY(IPOINT_BEFORE, "before last", CALL_ORDER_LAST);
        SAY(IPOINT_BEFORE, "before default 1", CALL_ORDER_DEFAULT);
        SAY(IPOINT_BEFORE, "before first", CALL_ORDER_FIRST);
        SAY(IPOINT_BEFORE, "before default + 1", CALL_ORDER_DEFAULT + 1);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, "before default 2", IARG_END);
        SAY(IPOINT_BEFORE, "before first - 1", CALL_ORDER_FIRST - 1);
        SAY(IPOINT_AFTER, "after last", CALL_ORDER_LAST);
        SAY(IPOINT_AFTER, "after first", CALL_ORDER_FIRST);
    }
    if (is_at(ins, "at_if")) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Every), IARG_ADDRINT, 4, IARG_REG_VALUE, REG_RAX, IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_PTR, "by 4", IARG_REG_VALUE, REG_RAX, IARG_END);
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(EverySlow), IARG_ADDRINT, 3, IARG_REG_VALUE, REG_RAX, IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_PTR, "by 3", IARG_REG_VALUE, REG_RAX, IARG_END);
    }
    if (is_at(ins, "at_two")) /* flags are needed behind it */
        for (UINT32 n = 0; n < 3; n++) {
            INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Bit), IARG_REG_VALUE, REG_RAX, IARG_UINT32, n, IARG_END);
            INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_PTR, n ? "next bit" : "first bit", IARG_REG_VALUE, REG_RAX, IARG_END);
        }
    if (INS_IsPredicated(ins)) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(SayExecuting), IARG_INST_PTR, IARG_EXECUTING, IARG_END);
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(SayPredicated), IARG_INST_PTR, IARG_END);
    }
}

static VOID Second(INS ins, VOID *)
{
    if (is_at(ins, "at_order"))
        SAY(IPOINT_BEFORE, "before default 3, of the second function", CALL_ORDER_DEFAULT);
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins))
            if (is_at(ins, "at_order"))
                SAY(IPOINT_BEFORE, "before default 0, of the trace function", CALL_ORDER_DEFAULT);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    INS_AddInstrumentFunction(Second, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_StartProgram();
}

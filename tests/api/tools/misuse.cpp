/* SPDX-License-Identifier: Apache-2.0
 * Mistakes, one at a time (setting what=...): each ends the process with a message that says where. */
#include "golden.h"

static VOID Nothing() {}
#define EIGHT IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR, IARG_INST_PTR

static VOID Instruction(INS ins, VOID *)
{
    std::string what = option("what");
    if (!is_at(ins, what == "after_ea" ? "at_store" : "at_here"))
        return;
    if (what == "handle")
        INS_InsertCall(INS_Invalid(), IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END);
    else if (what == "read")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_MEMORYREAD_EA, IARG_END);
    else if (what == "op")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_MEMORYOP_EA, 1, IARG_END);
    else if (what == "after_ea")
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Nothing), IARG_MEMORYWRITE_EA, IARG_END);
    else if (what == "taken")
        INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Nothing), IARG_END);
    else if (what == "target")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_BRANCH_TARGET_ADDR, IARG_END);
    else if (what == "then")
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END);
    else if (what == "point")
        INS_InsertCall(ins, (IPOINT)77, AFUNPTR(Nothing), IARG_END);
    else if (what == "iarg")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), (IARG_TYPE)5000, IARG_END);
    else if (what == "operand")
        INS_OperandReg(ins, 9);
    else if (what == "invalid")
        INS_Size(INS_Invalid());
    else if (what == "context")
        PIN_GetContextReg(0, REG_RAX);
    else if (what == "end") /* what follows a list without its end is anything */
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_INST_PTR, 0x12345, 0, IARG_END);
    else if (what == "many")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, IARG_END);
    else if (what == "far") { /* there are no direct far transfers in 64-bit code */
        UINT16 segment;
        UINT32 offset;
        INS_GetFarPointer(ins, segment, offset);
    } else if (what == "bbl")
        BBL_NumIns(BBL());
}

static VOID After(INS ins, VOID *)
{
    if (is_at(ins, "at_jump") && !strcmp(option("what"), "after"))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Nothing), IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    INS_AddInstrumentFunction(After, 0);
    if (!strcmp(option("what"), "rtn"))
        RTN_InsertCall(RTN_Invalid(), IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END);
    PIN_StartProgram();
}

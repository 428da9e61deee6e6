// SPDX-License-Identifier: Apache-2.0
// inscount: a call of a plain function for each instruction that is executed.
#include "result.h"

static UINT64 instructions;

static VOID Count() { instructions++; }

static VOID Instruction(INS ins, VOID *) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_END); }

static VOID Fini(INT32, VOID *) { result_write("instructions", instructions); }

int main(int argc, char **argv)
{
    result_start(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

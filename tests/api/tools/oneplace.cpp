/* SPDX-License-Identifier: Apache-2.0
 * Calls after FNSTENV and FXSAVE from at_first to at_last. Rule A15. */
#include "golden.h"

static unsigned long ran[2];

static VOID Ran(UINT32 which) { ran[which]++; }

static VOID Instruction(INS ins, VOID *)
{
    if (in_range(ins) && INS_Mnemonic(ins) == "FNSTENV")
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Ran), IARG_UINT32, 0, IARG_END);
    else if (in_range(ins) && INS_Mnemonic(ins) == "FXSAVE")
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Ran), IARG_UINT32, 1, IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("fnstenv %lu, fxsave %lu\n", ran[0], ran[1]); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * INS_RewriteMemoryOperand of the stack, of far transfers, of loads of segment registers, of strings through gs, of
 * MOVDIR64B: all accesses of the guest's range go to the page after the one that they name. */
#include "golden.h"

static UINT64 moved;

static ADDRINT Next(ADDRINT ea)
{
    moved++;
    return ea + 4096;
}

static VOID Instruction(INS ins, VOID *)
{
    for (UINT32 i = 0; in_range(ins) && i < INS_MemoryOperandCount(ins); i++) {
        REG to = REG(REG_INST_G0 + i);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Next), IARG_MEMORYOP_EA, i, IARG_RETURN_REGS, to, IARG_END);
        INS_RewriteMemoryOperand(ins, i, to);
    }
}

static VOID Fini(INT32, VOID *) { std::printf("%lu accesses moved\n", moved); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

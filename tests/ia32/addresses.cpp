// SPDX-License-Identifier: Apache-2.0
// In IA-32 programs: the address of each operand in memory as inlined code has it is the one that a call has, and has 32 bits. For programs with one thread.
#include "pin.H"

#include <stdio.h>

static ADDRINT kept[4];
static UINT64 compared, wrong;

static VOID Keep0(ADDRINT ea) { kept[0] = ea; }
static VOID Keep1(ADDRINT ea) { kept[1] = ea; }
static VOID Keep2(ADDRINT ea) { kept[2] = ea; }
static VOID Keep3(ADDRINT ea) { kept[3] = ea; }

static VOID Compare(ADDRINT pc, UINT32 n, ADDRINT ea, const CONTEXT *)
{
    compared++;
    if ((kept[n] == ea && ea >> 32 == 0) || wrong++)
        return;
    fprintf(stderr, "addresses: operand %u at 0x%lx: 0x%lx inlined, 0x%lx by a call\n", n, pc, kept[n], ea);
}

static VOID Instruction(INS ins, VOID *)
{
    static const AFUNPTR keep[] = {(AFUNPTR)Keep0, (AFUNPTR)Keep1, (AFUNPTR)Keep2, (AFUNPTR)Keep3};
    if (INS_HasScatteredMemoryAccess(ins))
        return;
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins) && i < 4; i++)
        INS_InsertCall(ins, IPOINT_BEFORE, keep[i], IARG_MEMORYOP_EA, i, IARG_END);
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins) && i < 4; i++)
        INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)Compare, IARG_INST_PTR, IARG_UINT32, i, IARG_MEMORYOP_EA, i, IARG_CONST_CONTEXT, IARG_END);
}

static VOID Fini(INT32, VOID *) { fprintf(stderr, "addresses: %lu compared, %lu differ\n", (unsigned long)compared, (unsigned long)wrong); }

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    INS_AddInstrumentFunction(Instruction, NULL);
    PIN_AddFiniFunction(Fini, NULL);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Several records in front of one instruction, the first of a constant, the others of registers, where flags are needed. two=1: there is a second buffer, so that the place of the next record is not carried. */
#include "golden.h"

static BUFFER_ID id;

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *buffer, UINT64 n, VOID *)
{
    for (UINT64 i = 0; i < n; i++)
        std::printf("%lx\n", static_cast<ADDRINT *>(buffer)[i]);
    return buffer;
}

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    INS_InsertFillBuffer(ins, IPOINT_BEFORE, id, IARG_ADDRINT, ADDRINT(0xc0ffee), 0, IARG_END);
    for (REG reg : {REG_RAX, REG_RCX, REG_R15})
        INS_InsertFillBuffer(ins, IPOINT_BEFORE, id, IARG_REG_VALUE, reg, 0, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    id = PIN_DefineTraceBuffer(sizeof(ADDRINT), 1, Full, 0);
    if (option("two"))
        PIN_DefineTraceBuffer(sizeof(ADDRINT), 1, Full, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

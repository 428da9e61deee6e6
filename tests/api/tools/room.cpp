/* SPDX-License-Identifier: Apache-2.0
 * Three records for each access, more for a trace than are kept behind the limit of the buffer, which has one page: never more of them than go into it. And a sum for each instruction that is more than one byte in most blocks. two=1: there is a second buffer. */
#include "golden.h"

static BUFFER_ID id;
static UINT64 records, too_many, weight;

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *buffer, UINT64 n, VOID *)
{
    records += n;
    too_many += n > 4096 / sizeof(ADDRINT);
    return buffer;
}

static VOID Weigh(UINT32 n) { weight += n; }

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    if (option("weigh"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Weigh), IARG_UINT32, 7, IARG_END);
    else
        for (UINT32 i = 0; i < 3 * INS_MemoryOperandCount(ins); i++)
            INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, id, IARG_MEMORYOP_EA, i / 3, 0, IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("%lu records, %lu buffers with too many, weight %lu\n", records, too_many, weight); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    id = PIN_DefineTraceBuffer(sizeof(ADDRINT), 1, Full, 0);
    if (option("two"))
        PIN_DefineTraceBuffer(sizeof(ADDRINT), 1, Full, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

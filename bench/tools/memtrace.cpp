// SPDX-License-Identifier: Apache-2.0
// memtrace: address, size and pc of every memory access go into a buffer, which is thrown away when it is full.
#include "result.h"

struct Access {
    ADDRINT address, pc;
    UINT32 bytes;
};

static const UINT32 pages = 64;
static BUFFER_ID buffer;
static UINT64 accesses;

static VOID Instruction(INS ins, VOID *)
{
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins) && !INS_HasScatteredMemoryAccess(ins); i++) // gathers have many addresses
        INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, offsetof(Access, address), IARG_INST_PTR, offsetof(Access, pc), IARG_UINT32, INS_MemoryOperandSize(ins, i),
                             offsetof(Access, bytes), IARG_END);
}

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *full, UINT64 n, VOID *)
{
    __atomic_fetch_add(&accesses, n, __ATOMIC_RELAXED);
    return full;
}

static VOID Fini(INT32, VOID *) { result_write("accesses", accesses); }

int main(int argc, char **argv)
{
    result_start(argc, argv);
    buffer = PIN_DefineTraceBuffer(sizeof(Access), pages, Full, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Counts blocks at their heads, and every access is a record of a trace buffer of one page, at the same instructions: a full buffer must not make a block begin anew in its middle (tests/optimiser.py). Prints the numbers of
 * instructions in the blocks that were executed, and of records. */
#include "pin.H"

#include <cstdio>

static BUFFER_ID buffer;
static UINT64 instructions, records;

static VOID Count(UINT64 *sum, UINT32 n) { *sum += n; }

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *start, UINT64 n, VOID *)
{
    __atomic_fetch_add(&records, n, __ATOMIC_RELAXED);
    return start;
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins))
            for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
                if (!INS_HasScatteredMemoryAccess(ins))
                    INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, 0, IARG_END);
        INS_InsertCall(BBL_InsHead(bbl), IPOINT_BEFORE, AFUNPTR(Count), IARG_PTR, &instructions, IARG_UINT32, BBL_NumIns(bbl), IARG_END);
    }
}

static VOID Fini(INT32, VOID *) { fprintf(stderr, "instructions %lu records %lu\n", instructions, records); }

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    buffer = PIN_DefineTraceBuffer(sizeof(ADDRINT) * 2, 1, Full, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

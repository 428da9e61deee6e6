/* SPDX-License-Identifier: Apache-2.0
 * Instructions executed, counted one by one, by basic blocks, and one by one from trace callbacks. */
#include "golden.h"

static UINT64 by_ins, by_block, by_trace;

static VOID One(UINT64 *counter) { ++*counter; }
static VOID Add(UINT64 *counter, UINT32 n) { *counter += n; }

static VOID Instruction(INS ins, VOID *) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(One), IARG_PTR, &by_ins, IARG_END); }

static VOID Trace(TRACE trace, VOID *)
{
    UINT32 blocks = 0, total = 0;
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        UINT32 n = 0;
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Add), IARG_PTR, &by_block, IARG_UINT32, BBL_NumIns(bbl), IARG_END);
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins), n++)
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(One), IARG_PTR, &by_trace, IARG_END);
        if (n != BBL_NumIns(bbl))
            std::printf("block at 0x%lx: %u instructions, BBL_NumIns %u\n", BBL_Address(bbl), n, BBL_NumIns(bbl));
        blocks++, total += n;
    }
    if (blocks != TRACE_NumBbl(trace) || total != TRACE_NumIns(trace))
        std::printf("trace at 0x%lx: %u blocks, %u instructions, TRACE_NumBbl %u, TRACE_NumIns %u\n", TRACE_Address(trace), blocks, total, TRACE_NumBbl(trace), TRACE_NumIns(trace));
}

static VOID Fini(INT32, VOID *) { std::printf("ins %lu block %lu trace %lu\n", by_ins, by_block, by_trace); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

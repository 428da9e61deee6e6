// SPDX-License-Identifier: Apache-2.0
// bbcount: a call of a plain function for each basic block that is executed.
#include "result.h"

static UINT64 blocks;

static VOID Count() { blocks++; }

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Count), IARG_END);
}

static VOID Fini(INT32, VOID *) { result_write("blocks", blocks); }

int main(int argc, char **argv)
{
    result_start(argc, argv);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// Says how wide an address is for the tool, and at the end whether instructions were counted: for chains in which each kind of program has a tool of its own.
#include "pin.H"

#include <cstdio>

static UINT64 instructions;

static VOID Add(UINT32 n) { instructions += n; }

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(Add), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    fprintf(stderr, "kind: %s\n", instructions > 1000 ? "counted" : "nothing");
}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv))
        return 1;
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    fprintf(stderr, "kind: %zu bits\n", 8 * sizeof(ADDRINT));
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Calls at single instructions of a routine in a library that comes and goes: what was inserted goes with the library.
 * With it each instruction of each routine of the library has a call, which is never more than one. */
#include "checks.h"

static UINT64 first, second, routine, routines, sizes[2];

static VOID Count(UINT64 *n) { ++*n; }
static VOID Nothing() {}

static VOID Rtn(RTN rtn, VOID *)
{
    if (IMG_Name(SEC_Img(RTN_Sec(rtn))).find("libm.so") == std::string::npos)
        return;
    bool chosen = RTN_Name(rtn) == "cbrt";
    RTN_Open(rtn);
    for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins)) {
        UINT64 at = INS_Address(ins) - RTN_Address(rtn), size = INS_Size(RTN_InsHead(rtn));
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END);
        if (chosen && (at == 0 || at == size))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_PTR, at ? &second : &first, IARG_END);
        sizes[0] += chosen;
    }
    if (chosen) {
        RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Count), IARG_PTR, &routine, IARG_END);
        sizes[1] = routines++ ? sizes[1] : sizes[0];
    }
    RTN_Close(rtn);
}

static VOID Fini(INT32, VOID *)
{
    printf("routines: %lu, their instructions: %s\n", (unsigned long)routines, sizes[0] == routines * sizes[1] && sizes[0] ? "same each time" : "different");
    printf("first instruction %lu, second %lu, routine %lu\n", (unsigned long)first, (unsigned long)second, (unsigned long)routine);
}

int main(int argc, char *argv[])
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    RTN_AddInstrumentFunction(Rtn, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

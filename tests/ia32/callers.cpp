// SPDX-License-Identifier: Apache-2.0
// In IA-32 programs: the names of the callers of each call of `innermost`, by PIN_Backtrace.
#include "pin.H"

#include <stdio.h>

static VOID Called(const CONTEXT *context)
{
    VOID *caller[64];
    INT32 n = PIN_Backtrace(context, caller, 64);
    fprintf(stderr, "callers:");
    PIN_LockClient();
    for (INT32 i = 0; i < n; i++) {
        std::string name = RTN_FindNameByAddress(ADDRINT(caller[i]));
        fprintf(stderr, " %s", name.empty() ? "?" : name.c_str());
    }
    PIN_UnlockClient();
    fprintf(stderr, "\n");
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "innermost");
    if (!RTN_Valid(rtn))
        return;
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, (AFUNPTR)Called, IARG_CONST_CONTEXT, IARG_END);
    RTN_Close(rtn);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    IMG_AddInstrumentFunction(Image, NULL);
    PIN_StartProgram();
}

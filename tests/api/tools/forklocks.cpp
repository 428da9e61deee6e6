/* SPDX-License-Identifier: Apache-2.0
 * Asks for names, source lines and forms of instructions in analysis routines, without the client lock: a fork in another thread must not leave the child with locks that nobody gives back. */
#include "golden.h"

static UINT64 asked, wrong;
static int parent;

static VOID Ask(ADDRINT pc)
{
    std::string name = RTN_FindNameByAddress(pc), file;
    INT32 column, line;
    PIN_GetSourceLocation(pc, &column, &line, &file);
    xed_iform_enum_t2str(xed_iform_enum_t(1));
    if (name != "asks")
        __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    if (PIN_GetPid() == parent)
        __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
}

static VOID Routine(RTN rtn, VOID *)
{
    if (RTN_Name(rtn) != "asks")
        return;
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Ask), IARG_INST_PTR, IARG_END);
    RTN_Close(rtn);
}

static VOID Fini(INT32, VOID *)
{
    if (PIN_GetPid() == parent || wrong)
        std::printf("asked in the parent %s, wrong names %llu\n", asked ? "yes" : "no", (unsigned long long)wrong);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    parent = PIN_GetPid();
    RTN_AddInstrumentFunction(Routine, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

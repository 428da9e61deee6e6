/* SPDX-License-Identifier: Apache-2.0
 * PIN_Detach just before the program's end: of the tool's functions only the one for the detach is called, once. */
#include "golden.h"

static VOID Leave() { PIN_Detach(); }
static VOID Detached(VOID *)
{
    std::printf("detached\n");
    std::fflush(stdout);
}
static VOID Fini(INT32, VOID *) { std::printf("fini\n"); }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_detach"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Leave), IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddDetachFunction(Detached, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * PIN_Detach from an analysis routine: no code with calls of the tool's is entered any more, however long it takes until
 * the engine has left. The register that the same routine has changed keeps its value. */
#include "golden.h"

static UINT64 calls;

static VOID Leave(UINT32 *value)
{
    value[0] += 40;
    if (++calls == 1)
        PIN_Detach();
}

static VOID Detached(VOID *)
{
    std::printf("detached after %lu calls\n", calls);
    std::fflush(stdout);
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_change"))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Leave), IARG_REG_REFERENCE, REG_XMM0, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddDetachFunction(Detached, 0);
    PIN_StartProgram();
}

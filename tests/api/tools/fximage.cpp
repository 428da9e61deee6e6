/* SPDX-License-Identifier: Apache-2.0
 * REG_X87 in the sets of IARG_PARTIAL_CONTEXT is all of FXSAVE's image: vector registers and MXCSR, too. Another set
 * has none of it. */
#include "golden.h"

static VOID Change(CONTEXT *context)
{
    FPSTATE state;
    PIN_GetContextFPState(context, &state);
    state.fxsave_legacy._xmms[6]._vec32[0] += 1;
    state.fxsave_legacy._mxcsr ^= 0x8000; // flush to zero
    state.fxsave_legacy._fcw ^= 0x300;    // precision
    PIN_SetContextFPState(context, &state);
}

static VOID Instruction(INS ins, VOID *)
{
    REGSET all, x87, other;
    REGSET_Clear(all), REGSET_Clear(x87), REGSET_Clear(other);
    REGSET_AddAll(all);
    REGSET_Insert(x87, REG_X87);
    REGSET_Insert(other, REG_RAX);
    if (is_at(ins, "at_x87"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Change), IARG_PARTIAL_CONTEXT, &all, &x87, IARG_END);
    if (is_at(ins, "at_other"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Change), IARG_PARTIAL_CONTEXT, &all, &other, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

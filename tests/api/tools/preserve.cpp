/* SPDX-License-Identifier: Apache-2.0
 * IARG_PRESERVE: registers that the routine is said to leave alone are not saved for it, so it finds the guest's values
 * there, and what it changes all the same is changed for the guest. Others are saved as ever. */
#include "golden.h"

static VOID Change()
{
    __asm__ volatile("pcmpeqd %%xmm5, %%xmm5\n\tpcmpeqd %%xmm6, %%xmm6\n\tfchs" ::: "xmm5", "xmm6");
}

static VOID Instruction(INS ins, VOID *)
{
    REGSET some, none;
    REGSET_Clear(some);
    REGSET_Clear(none);
    REGSET_Insert(some, REG_XMM5);
    REGSET_Insert(some, REG_X87);
    if (is_at(ins, "at_saved"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Change), IARG_END);
    if (is_at(ins, "at_none"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Change), IARG_PRESERVE, &none, IARG_END);
    if (is_at(ins, "at_some"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Change), IARG_PRESERVE, &some, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

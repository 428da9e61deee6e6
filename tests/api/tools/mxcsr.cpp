/* SPDX-License-Identifier: Apache-2.0
 * A routine that leaves another MXCSR behind: the program's stays, unless -bridge_save_mxcsr 0 or -bridge_set_mxcsr 1 say
 * otherwise. */
#include "golden.h"

static VOID Change()
{
    UINT32 word;
    __asm__ volatile("stmxcsr %0\n\tandl $0xfffffdff, %0\n\tldmxcsr %0" : "=m"(word));
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_change"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Change), IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Mistakes of a tool in C (setting what=NAME). */
#include "pin.h"

#include <stdlib.h>
#include <string.h>

static const char *what = "";
static ADDRINT here;

static VOID Nothing(void) {}

static VOID Instruction(INS ins, VOID *arg)
{
    (void)arg;
    if (INS_Address(ins) != here)
        return;
    if (!strcmp(what, "c_read"))
        INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)Nothing, IARG_MEMORYREAD_EA, IARG_END);
    else if (!strcmp(what, "c_iarg"))
        INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)Nothing, 5000, IARG_END);
    else if (!strcmp(what, "c_handle"))
        INS_InsertCall(INS_Invalid(), IPOINT_BEFORE, (AFUNPTR)Nothing, IARG_END);
    else if (!strcmp(what, "c_point"))
        INS_InsertCall(ins, (IPOINT)9, (AFUNPTR)Nothing, IARG_END);
    else if (!strcmp(what, "c_operand"))
        INS_OperandReg(ins, 7);
    else if (!strcmp(what, "c_then"))
        INS_InsertThenCall(ins, IPOINT_BEFORE, (AFUNPTR)Nothing, IARG_END);
    else if (!strcmp(what, "c_rewrite"))
        INS_RewriteMemoryOperand(ins, 0, REG_INST_G0);
}

int main(int argc, char **argv)
{
    if (PIN_Init(1, argv)) /* the settings are no knobs: one may be given once only */
        return 1;
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strncmp(argv[i], "what=", 5))
            what = argv[i] + 5;
        if (!strncmp(argv[i], "at_here=", 8))
            here = strtoul(argv[i] + 8, 0, 0);
    }
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram(0);
}

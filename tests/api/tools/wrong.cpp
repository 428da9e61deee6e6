/* SPDX-License-Identifier: Apache-2.0
 * Mistakes with contexts, prototypes and replaced routines, one at a time (setting what=...). */
#include "golden.h"

#include <new>

static VOID Nothing(...) {} // takes what it is given: the mistakes are others
static CONTEXT empty;

static VOID InCallback(INS ins, const std::string &what)
{
    if (what == "empty")
        PIN_GetContextReg(&empty, REG_RAX);
    else if (what == "save")
        PIN_SaveContext(&empty, &empty);
    else if (what == "execute")
        PIN_ExecuteAt(&empty);
    else if (what == "funcptr")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_ORIG_FUNCPTR, IARG_END);
    else if (what == "wide")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_REG_VALUE, REG_XMM0, IARG_END);
    else if (what == "result")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_RETURN_REGS, REG_YMM0, IARG_END);
}

static VOID Analysis(CONTEXT *c, UINT32 n)
{
    long r;
    if (n == 0)
        PIN_GetContextReg(c, REG_YMM3);
    else if (n == 1)
        PIN_GetContextReg(c, REG_PIN_RAX);
    else if (n == 2)
        PIN_SetContextReg(c, REG_SEG_CS, 7);
    else if (n == 3)
        PIN_CallApplicationFunction(&empty, 0, CALLINGSTD_DEFAULT, AFUNPTR(Nothing), NULL, PIN_PARG(long), &r, PIN_PARG_END());
    else if (n == 6) { // what was in it is gone
        static CONTEXT again;
        PIN_SaveContext(c, &again);
        PIN_GetContextReg(new (&again) CONTEXT, REG_RAX);
    } else if (n == 4)
        PIN_CallApplicationFunction(c, 0, CALLINGSTD_DEFAULT, AFUNPTR(Nothing), NULL, PIN_PARG(long), &r, PIN_PARG(void), PIN_PARG_END());
    else
        PIN_LockClient(), PIN_ExecuteAt(c);
}

static VOID Instruction(INS ins, VOID *)
{
    static const char *const later[] = {"vector", "private", "selector", "call", "parg", "locked", "again"};
    std::string what = option("what");
    if (!is_at(ins, "at_here"))
        return;
    InCallback(ins, what);
    for (UINT32 i = 0; i < 7; i++)
        if (what == later[i])
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Analysis), IARG_CONTEXT, IARG_UINT32, i, IARG_END);
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "at_here");
    std::string what = option("what");
    if (!RTN_Valid(rtn))
        return;
    PROTO p = PROTO_Allocate(PIN_PARG(int), CALLINGSTD_DEFAULT, "f", PIN_PARG(int), PIN_PARG_END());
    if (what == "prototype")
        RTN_ReplaceSignature(rtn, AFUNPTR(Nothing), IARG_ORIG_FUNCPTR, IARG_END);
    else if (what == "argument")
        RTN_ReplaceSignature(rtn, AFUNPTR(Nothing), IARG_PROTOTYPE, p, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END);
    else if (what == "memory")
        RTN_ReplaceSignature(rtn, AFUNPTR(Nothing), IARG_PROTOTYPE, p, IARG_MEMORYREAD_EA, IARG_END);
    else if (what == "null")
        RTN_Replace(rtn, 0);
    else if (what == "routine")
        RTN_Replace(RTN_Invalid(), AFUNPTR(Nothing));
    else if (what == "original")
        ((VOID(*)())RTN_Replace(rtn, AFUNPTR(Nothing)))();
    PROTO_Free(p);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}

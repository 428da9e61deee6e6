/* SPDX-License-Identifier: Apache-2.0
 * References to registers and to parts of them for the replacement of a routine: read, and written where the routine leaves its result. The setting partial=yes: by
 * IARG_PARTIAL_CONTEXT, of which only the registers of the second set are written. */
#include "golden.h"

static ADDRINT Replacement(UINT8 *al, UINT8 *ah, const UINT16 *cx, UINT32 *edx, UINT64 *rbx)
{
    std::printf("al %x ah %x cx %x edx %x rbx %lx\n", *al, *ah, *cx, *edx, *rbx);
    *ah = 0x77;
    *edx = 0x55667788;
    *rbx += 1;
    return *al + (*ah << 8);
}

static ADDRINT Partial(CONTEXT *context)
{
    std::printf("rcx %lx rbx %lx\n", PIN_GetContextReg(context, REG_RCX), PIN_GetContextReg(context, REG_RBX));
    PIN_SetContextReg(context, REG_RBX, 5);
    PIN_SetContextReg(context, REG_RCX, 6);
    PIN_SetContextReg(context, REG_RDX, 7);
    return 4;
}

static VOID ReplacePartial(RTN rtn, PROTO p)
{
    REGSET in, out;
    REGSET_Clear(in);
    REGSET_Clear(out);
    REGSET_Insert(in, REG_RCX);
    REGSET_Insert(in, REG_RBX);
    REGSET_Insert(out, REG_RBX);
    REGSET_Insert(out, REG_RDX);
    RTN_ReplaceSignature(rtn, AFUNPTR(Partial), IARG_PROTOTYPE, p, IARG_PARTIAL_CONTEXT, &in, &out, IARG_END);
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "routine");
    if (!RTN_Valid(rtn))
        return;
    PROTO p = PROTO_Allocate(PIN_PARG(ADDRINT), CALLINGSTD_DEFAULT, "routine", PIN_PARG_END());
    if (option("partial"))
        ReplacePartial(rtn, p);
    else
        RTN_ReplaceSignature(rtn, AFUNPTR(Replacement), IARG_PROTOTYPE, p, IARG_REG_REFERENCE, REG_AL, IARG_REG_REFERENCE, REG_AH, IARG_REG_CONST_REFERENCE, REG_CX, IARG_REG_REFERENCE, REG_EDX,
                         IARG_REG_REFERENCE, REG_RBX, IARG_END);
    PROTO_Free(p);
}

static VOID Show(ADDRINT rax, ADDRINT rcx, ADDRINT rdx, ADDRINT rbx) { std::printf("rax %lx rcx %lx rdx %lx rbx %lx\n", rax, rcx, rdx, rbx); }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_back"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_REG_VALUE, REG_RAX, IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE, REG_RDX, IARG_REG_VALUE, REG_RBX, IARG_END);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

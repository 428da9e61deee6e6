/* SPDX-License-Identifier: Apache-2.0
 * Every memory operand that can be rewritten is, to the address that it has anyway: the guest must not notice (mode `rewrite` of tests/run.py). Prints nothing. */
#include "pin.H"

static ADDRINT Same(ADDRINT ea) { return ea; }

/* And those of VIA, which have no single addresses. */
static bool CarriedOutByVm(INS ins)
{
    if (INS_IsFarCall(ins) || INS_IsFarJump(ins) || INS_IsFarRet(ins) || INS_IsIRet(ins) || INS_Category(ins) == XED_CATEGORY_VIA_PADLOCK)
        return true;
    for (UINT32 i = 0; i < INS_OperandCount(ins); i++)
        if (INS_OperandIsReg(ins, i) && INS_OperandWritten(ins, i) && REG_is_seg(INS_OperandReg(ins, i)))
            return true;
    return false;
}

/* The other operand of a string instruction or of the stack is addressed through gs. */
static bool ThroughGs(INS ins) { return INS_SegmentPrefix(ins) && INS_SegmentRegPrefix(ins) == REG_SEG_GS; }

static VOID Instruction(INS ins, VOID *)
{
    if (INS_IsVgather(ins) || INS_IsVscatter(ins))
        INS_RewriteScatteredMemoryOperand(ins, 0);
    if (CarriedOutByVm(ins) || INS_HasScatteredMemoryAccess(ins) || ThroughGs(ins))
        return;
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_MEMORYOP_EA, i, IARG_RETURN_REGS, REG(REG_INST_G0 + i), IARG_END);
        INS_RewriteMemoryOperand(ins, i, REG(REG_INST_G0 + i));
    }
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Every memory operand that can be rewritten is, to the address that it has anyway: the guest must not notice (mode `rewrite` of tests/run.py). Prints nothing. */
#include "pin.H"

static ADDRINT Same(ADDRINT ea) { return ea; }

/* They have no single addresses. */
static bool HasManyAddresses(INS ins)
{
    return INS_Category(ins) == XED_CATEGORY_VIA_PADLOCK || INS_HasScatteredMemoryAccess(ins) || INS_Opcode(ins) == XED_ICLASS_ENTER;
}

/* Natively the kernel, which carries them out, refuses those with another segment prefix beside gs. */
static bool ByKernelThroughGs(INS ins)
{
    xed_iclass_enum_t what = xed_iclass_enum_t(INS_Opcode(ins));
    bool kernel = what == XED_ICLASS_SGDT || what == XED_ICLASS_SIDT || what == XED_ICLASS_SLDT || what == XED_ICLASS_STR || what == XED_ICLASS_SMSW;
    return kernel && INS_SegmentPrefix(ins) && INS_SegmentRegPrefix(ins) == REG_SEG_GS;
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_IsVgather(ins) || INS_IsVscatter(ins))
        INS_RewriteScatteredMemoryOperand(ins, 0);
    if (HasManyAddresses(ins) || ByKernelThroughGs(ins))
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

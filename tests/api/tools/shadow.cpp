/* SPDX-License-Identifier: Apache-2.0
 * INS_RewriteMemoryOperand: accesses to memory that is not there go to the guest's at_shadow. app=1: the address of operands that name no general register is in one of the application's registers. Rule A38. */
#include "golden.h"

static const ADDRINT VIRTUAL = 0x30000000;
static ADDRINT shadow, code_end;
static ADDRINT saved;

static ADDRINT Translate(ADDRINT ea) { return ea - VIRTUAL < 0x10000 ? ea - VIRTUAL + shadow : ea; }
static VOID After(ADDRINT read, ADDRINT write) { std::printf("after: 0x%lx 0x%lx\n", read, write); }
static ADDRINT Save(ADDRINT v, ADDRINT ea)
{
    saved = v;
    return Translate(ea);
}
static ADDRINT Saved() { return saved; }

/* An address in r12, which the guest does not use here. */
static bool UseApplicationRegister(INS ins) { return option("app") && INS_MemoryOperandCount(ins) == 1 && !INS_IsControlFlow(ins) && INS_HasFallThrough(ins) && !INS_RepPrefix(ins) && !INS_RepnePrefix(ins); }

static VOID Instruction(INS ins, VOID *)
{
    if (INS_Address(ins) < at("at_first") || INS_Address(ins) >= code_end)
        return;
    if (UseApplicationRegister(ins)) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Save), IARG_REG_VALUE, REG_R12, IARG_MEMORYOP_EA, 0, IARG_RETURN_REGS, REG_R12, IARG_END);
        INS_RewriteMemoryOperand(ins, 0, REG_R12);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Saved), IARG_RETURN_REGS, REG_R12, IARG_END);
        return;
    }
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        REG reg = REG(REG_INST_G5 + i);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Translate), IARG_MEMORYOP_EA, i, IARG_RETURN_REGS, reg, IARG_END);
        INS_RewriteMemoryOperand(ins, i, reg);
    }
    if (INS_Mnemonic(ins) == "POP" && INS_MemoryOperandCount(ins) == 2 && INS_MemoryBaseReg(ins) == REG_R9)
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(After), IARG_MEMORYREAD_PTR, IARG_MEMORYWRITE_PTR, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    shadow = at("at_shadow");
    code_end = at("at_last") + 64; /* the functions behind it */
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

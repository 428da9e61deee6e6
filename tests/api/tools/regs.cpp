/* SPDX-License-Identifier: Apache-2.0
 * IARG_REG_VALUE of every general register, its parts, flags and instruction pointer at at_here, through a routine that calls others and through a leaf. */
#include "golden.h"

static const REG regs[] = {
    REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
    REG_EAX, REG_EBX, REG_ECX, REG_EDX, REG_ESI, REG_EDI, REG_EBP, REG_R8D, REG_R15D,
    REG_AX, REG_BX, REG_CX, REG_DX, REG_SI, REG_DI, REG_BP, REG_R8W, REG_R15W,
    REG_AL, REG_AH, REG_BL, REG_BH, REG_CL, REG_CH, REG_DL, REG_DH, REG_SIL, REG_DIL, REG_BPL, REG_R8B, REG_R15B, REG_RFLAGS, REG_INST_PTR,
};
enum { COUNT = sizeof regs / sizeof regs[0] };
static ADDRINT leaf[COUNT], full[COUNT];

static VOID Store(ADDRINT *to, ADDRINT v) { *to = v; }
static VOID Print(REG reg, ADDRINT *to, ADDRINT v)
{
    *to = v;
    std::printf("%s 0x%lx\n", REG_StringShort(reg).c_str(), v);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!is_at(ins, "at_here"))
        return;
    for (int i = 0; i < COUNT; i++)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Store), IARG_PTR, &leaf[i], IARG_REG_VALUE, regs[i], IARG_END);
    for (int i = 0; i < COUNT; i++)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Print), IARG_UINT32, (UINT32)regs[i], IARG_PTR, &full[i], IARG_REG_VALUE, regs[i], IARG_END);
}

/* The same alone, so that the short form of the bridge is used where it can be. */
static VOID Alone(INS ins, VOID *)
{
    for (int i = 0; i < COUNT; i++) {
        char name[32];
        std::snprintf(name, sizeof name, "at_leaf%d", i);
        if (is_at(ins, name))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Store), IARG_PTR, &leaf[i], IARG_REG_VALUE, regs[i], IARG_END);
    }
}

static VOID Fini(INT32, VOID *)
{
    for (int i = 0; i < COUNT; i++)
        if (leaf[i] != full[i] && regs[i] != REG_INST_PTR)
            std::printf("%s: leaf 0x%lx, full 0x%lx\n", REG_StringShort(regs[i]).c_str(), leaf[i], full[i]);
    std::printf("%d registers\n", (int)COUNT);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    INS_AddInstrumentFunction(Alone, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

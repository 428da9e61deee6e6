/* SPDX-License-Identifier: Apache-2.0
 * Tools that change registers: IARG_RETURN_REGS, IARG_REG_REFERENCE, contexts. */
#include "golden.h"

static ADDRINT Double(ADDRINT v) { return v * 2; }
static VOID AddTo(PIN_REGISTER *reg, ADDRINT n) { *(ADDRINT *)reg += n; }
static VOID SetByte(UINT8 *reg) { *reg = 0x5a; }
static VOID Xmm(PIN_REGISTER *reg)
{
    std::printf("xmm3 0x%lx 0x%lx\n", reg->qword[0], reg->qword[1]);
    reg->qword[0] = 0x1122334455667788;
}
static VOID Flags(ADDRINT *flags)
{
    std::printf("flags 0x%lx\n", *flags);
    *flags ^= 1;
}
static VOID Show(const char *text, const CONTEXT *c)
{
    static const REG regs[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
                               REG_RFLAGS, REG_INST_PTR, REG_EAX, REG_AX, REG_AL, REG_AH, REG_R15D};
    std::printf("%s:", text);
    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++)
        std::printf(" %s 0x%lx", REG_StringShort(regs[i]).c_str(), PIN_GetContextReg(c, regs[i]));
    UINT8 xmm[16];
    PIN_GetContextRegval(c, REG_XMM3, xmm);
    std::printf(" xmm3 0x%lx\n", *(UINT64 *)xmm);
}
/* A leaf that gets a context. */
static const CONTEXT *seen;
static VOID Keep(const CONTEXT *c) { seen = c; }
static VOID Kept() { std::printf("a leaf's context: rbx 0x%lx flags 0x%lx\n", PIN_GetContextReg(seen, REG_RBX), PIN_GetContextReg(seen, REG_RFLAGS)); }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_return"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Double), IARG_REG_VALUE, REG_RBX, IARG_RETURN_REGS, REG_RCX, IARG_END);
    if (is_at(ins, "at_return_after"))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Double), IARG_REG_VALUE, REG_RBX, IARG_RETURN_REGS, REG_RBX, IARG_END);
    if (is_at(ins, "at_reference")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(AddTo), IARG_REG_REFERENCE, REG_RDX, IARG_ADDRINT, 100, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(AddTo), IARG_REG_REFERENCE, REG_R12, IARG_ADDRINT, 1, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(SetByte), IARG_REG_REFERENCE, REG_AH, IARG_END);
    }
    if (is_at(ins, "at_xmm"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Xmm), IARG_REG_REFERENCE, REG_XMM3, IARG_END);
    if (is_at(ins, "at_flags"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Flags), IARG_REG_REFERENCE, REG_RFLAGS, IARG_END);
    if (is_at(ins, "at_context")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_PTR, "before", IARG_CONST_CONTEXT, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Show), IARG_PTR, "after", IARG_CONTEXT, IARG_END);
    }
    if (is_at(ins, "at_leaf")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Keep), IARG_CONST_CONTEXT, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Kept), IARG_END);
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

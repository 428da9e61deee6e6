/* SPDX-License-Identifier: Apache-2.0
 * INS_ChangeReg: at each label the register that is read or written is another. Rule A45. */
#include "golden.h"

static VOID Show(const char *label, ADDRINT rax, ADDRINT rbx, ADDRINT rcx, ADDRINT rdx, ADDRINT tool)
{
    std::printf("%s: rax 0x%lx rbx 0x%lx rcx 0x%lx rdx 0x%lx tool 0x%lx\n", label, rax, rbx, rcx, rdx, tool);
}
static ADDRINT Value(ADDRINT v) { return v; }

static const struct { const char *label; REG old, now; bool read; } changes[] = {
    {"at_read", REG_RAX, REG_RBX, true},         {"at_written", REG_RAX, REG_RBX, false},    {"at_both", REG_RAX, REG_RBX, true},      {"at_both", REG_RAX, REG_RCX, false},
    {"at_narrow", REG_AL, REG_BL, true},         {"at_narrow_written", REG_AX, REG_BX, false}, {"at_32", REG_EAX, REG_EBX, true},       {"at_32_written", REG_EAX, REG_EBX, false},
    {"at_tool", REG_RAX, REG_INST_G0, true},     {"at_tool_written", REG_RAX, REG_INST_G0, false}, {"at_base", REG_RAX, REG_RDX, true}, {"at_store", REG_RBX, REG_RCX, true},
    {"at_rip", REG_RAX, REG_RBX, false},         {"at_count", REG_CL, REG_BL, true},         {"at_product", REG_RAX, REG_RBX, true},   {"at_product", REG_RDX, REG_RCX, false},
    {"at_tls", REG_RAX, REG_RBX, false},         {"at_swap", REG_RAX, REG_RCX, true},        {"at_swap", REG_RBX, REG_RAX, false},     {"at_fault", REG_RAX, REG_RBX, true},
    {"at_push", REG_RAX, REG_RBX, true},
};
/* What cannot be done, and is not. */
static const struct { const char *label; REG old, now; bool read; } refused[] = {
    {"at_read", REG_RDX, REG_RBX, true}, /* not read */   {"at_read", REG_RAX, REG_EBX, true}, /* not as wide */ {"at_read", REG_RAX, REG_RCX, true}, /* changed already */
    {"at_read", REG_RAX, REG_XMM0, true},                 {"at_high", REG_AH, REG_BL, true},                     {"at_high", REG_RAX, REG_RBX, true}, /* al is written */
    {"at_push", REG_RSP, REG_RBX, false},                 {"at_branch", REG_RAX, REG_RBX, true},                 {"at_read", REG_RBX, REG_INST_G0D, false},
};

static VOID Instruction(INS ins, VOID *)
{
    for (const auto &c : changes) {
        if (!is_at(ins, c.label))
            continue;
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Value), IARG_ADDRINT, 0x5555, IARG_RETURN_REGS, REG_INST_G0, IARG_END);
        if (!INS_ChangeReg(ins, c.old, c.now, c.read))
            std::printf("%s: not done\n", c.label);
        if (&c == changes || std::strcmp((&c)[-1].label, c.label))
            INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Show), IARG_PTR, c.label, IARG_REG_VALUE, REG_RAX, IARG_REG_VALUE, REG_RBX, IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE, REG_RDX, IARG_REG_VALUE,
                           REG_INST_G0, IARG_END);
    }
    for (const auto &c : refused)
        if (is_at(ins, c.label) && INS_ChangeReg(ins, c.old, c.now, c.read))
            std::printf("%s: %s done\n", c.label, REG_StringShort(c.old).c_str());
}

static VOID Fini(INT32 status, VOID *) { std::printf("status %d\n", status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

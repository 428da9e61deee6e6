/* SPDX-License-Identifier: Apache-2.0
 * INS_Delete, INS_InsertDirectJump, INS_InsertIndirectJump, tool registers, IARG_RETURN_REGS of parts, IARGLIST. Rule A37. */
#include "golden.h"

static ADDRINT Value(ADDRINT v) { return v; }
static ADDRINT Pop(ADDRINT *sp)
{
    ADDRINT to = *sp;
    std::printf("ret to 0x%lx\n", to);
    return to;
}
static ADDRINT Plus8(ADDRINT v) { return v + 8; }
static VOID Print(const char *text, ADDRINT v) { std::printf("%s 0x%lx\n", text, v); }
static VOID Count(ADDRINT *reg) { std::printf("count %lu\n", ++*reg); }
static VOID Counts(ADDRINT v, UINT32 narrow) { std::printf("after the loop %lu, narrow 0x%x\n", v, narrow); }
static VOID List(UINT32 a, ADDRINT b, ADDRINT pc, UINT32 d) { std::printf("list %u 0x%lx 0x%lx %u\n", a, b, pc, d); }
static VOID Number(const char *text, ADDRINT v) { std::printf("%s %lu\n", text, v); }

static VOID Return(INS ins, ADDRINT value, REG reg)
{
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Value), IARG_ADDRINT, value, IARG_RETURN_REGS, reg, IARG_END);
}

static VOID Jumps(INS ins)
{
    if (is_at(ins, "at_jump_before"))
        INS_InsertDirectJump(ins, IPOINT_BEFORE, at("at_target1"));
    if (is_at(ins, "at_jump_after")) {
        INS_InsertDirectJump(ins, IPOINT_AFTER, at("at_target2"));
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Print), IARG_PTR, "after", IARG_INST_PTR, IARG_END);
    }
    if (is_at(ins, "at_indirect")) {
        Return(ins, at("at_target3"), REG_INST_G0);
        INS_InsertIndirectJump(ins, IPOINT_AFTER, REG_INST_G0);
        INS_Delete(ins);
    }
    if (is_at(ins, "at_indirect_app")) {
        INS_Delete(ins);
        INS_InsertIndirectJump(ins, IPOINT_BEFORE, REG_RCX);
    }
    if (is_at(ins, "at_indirect_rax"))
        INS_InsertIndirectJump(ins, IPOINT_AFTER, REG_RAX);
    if (is_at(ins, "at_ret")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Pop), IARG_REG_VALUE, REG_STACK_PTR, IARG_RETURN_REGS, REG_INST_G1, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Plus8), IARG_REG_VALUE, REG_STACK_PTR, IARG_RETURN_REGS, REG_STACK_PTR, IARG_END);
        INS_InsertIndirectJump(ins, IPOINT_AFTER, REG_INST_G1);
        INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Print), IARG_PTR, "taken, though deleted", IARG_INST_PTR, IARG_END);
        INS_Delete(ins);
    }
}

static VOID Registers(INS ins)
{
    if (is_at(ins, "at_syscall")) {
        Return(ins, 4242, REG_RAX);
        INS_Delete(ins);
    }
    if (is_at(ins, "at_count"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_REG_REFERENCE, REG_INST_G2, IARG_END);
    if (is_at(ins, "at_parts")) {
        Return(ins, 0xffffffff00000001ul, REG_INST_G3D);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Counts), IARG_REG_VALUE, REG_INST_G2, IARG_REG_VALUE, REG_INST_G3, IARG_END);
        Return(ins, ~0x5eul, REG_AX);
        Return(ins, ~0x5dul, REG_CH);
        Return(ins, ~0x5cul, REG_EDX);
        Return(ins, ~0x5bul, REG_RBX);
    }
    if (is_at(ins, "at_flags"))
        Return(ins, 0x203, REG_GFLAGS);
}

static VOID Instruction(INS ins, VOID *)
{
    static const char *const gone[] = {"at_delete", "at_delete_jmp", "at_delete_jcc", "at_rep", "at_last_jmp"};
    for (unsigned i = 0; i < sizeof gone / sizeof gone[0]; i++)
        if (is_at(ins, gone[i]))
            INS_Delete(ins);
    if (is_at(ins, "at_rep")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Number), IARG_PTR, "before rep", IARG_REG_VALUE, REG_RCX, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Number), IARG_PTR, "after rep", IARG_REG_VALUE, REG_RCX, IARG_END);
    }
    if (is_at(ins, "at_list")) {
        IARGLIST args = IARGLIST_Alloc(), inner = IARGLIST_Alloc();
        IARGLIST_AddArguments(inner, IARG_ADDRINT, 2ul, IARG_INST_PTR, IARG_END);
        IARGLIST_AddArguments(args, IARG_UINT32, 1, IARG_END);
        IARGLIST_AddArguments(args, IARG_IARGLIST, inner, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(List), IARG_IARGLIST, args, IARG_UINT32, 3, IARG_END);
        IARGLIST_Free(inner);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(List), IARG_IARGLIST, args, IARG_UINT32, 4, IARG_END);
        IARGLIST_Free(args);
    }
    Jumps(ins);
    Registers(ins);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    REG first = PIN_ClaimToolRegister(), last = first, next = first;
    int n = 0;
    for (; REG_valid(next); next = PIN_ClaimToolRegister(), n++)
        last = next;
    std::printf("claimed %d from %s to %s, then %s\n", n, REG_StringShort(first).c_str(), REG_StringShort(last).c_str(), REG_StringShort(next).c_str());
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

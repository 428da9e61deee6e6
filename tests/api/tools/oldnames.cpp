/* SPDX-License-Identifier: Apache-2.0
 * Names of Pin 2 that are gone from Pin: arguments of analysis calls, operands, replacement of routines, texts. */
#include "golden.h"

static VOID Callee(ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d, ADDRINT e, ADDRINT f) { std::printf("callee %lu %lu %lu %lu %lu %lu\n", a, b, c, d, e, f); }
static VOID Caller(ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d, ADDRINT e, ADDRINT f) { std::printf("caller %lu %lu %lu %lu %lu %lu\n", a, b, c, d, e, f); }
static VOID Result(ADDRINT r) { std::printf("result %lu\n", r); }
static VOID Syscall(ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d, ADDRINT e, ADDRINT f) { std::printf("syscall %lu %lu %lu %lu %lu %lu\n", a, b, c, d, e, f); }
static VOID Same(ADDRINT ea, ADDRINT base) { std::printf("0x%lx from 0x%lx\n", ea, base); }
static ADDRINT Plus(ADDRINT ea, ADDRINT n) { return ea + n; }
static ADDRINT Product(ADDRINT a, ADDRINT b) { return a * b; }
static ADDRINT Sum(ADDRINT a, ADDRINT b) { return a + b; }

static std::string operands;

static VOID Fini(INT32, VOID *) { std::printf("operands %s\n", operands.c_str()); }

static VOID Rewrite(INS ins, MEMORY_TYPE type, BOOL (*change)(INS, MEMORY_TYPE, REG), REG reg)
{
    REG base = REG_INVALID();
    operands += (operands.empty() ? "" : "; ") + decstr(INS_MemoryDisplacementSigned(ins)) + " " + decstr(INT64(INS_MemoryOffset(ins)));
    if (INS_IsRewritableMemOpBase(ins, type, base))
        operands += " " + REG_StringShort(base);
    if (base == REG_INVALID() || change(ins, type == MEMORY_TYPE_READ ? MEMORY_TYPE_WRITE : MEMORY_TYPE_READ, reg) || !change(ins, type, reg))
        std::printf("not rewritten as it should be\n");
    if (type == MEMORY_TYPE_READ)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Plus), IARG_MEMORYREAD_EA, IARG_ADDRINT, 8, IARG_RETURN_REGS, reg, IARG_END);
    else
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Plus), IARG_MEMORYWRITE_EA, IARG_ADDRINT, 8, IARG_RETURN_REGS, reg, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_REG_VALUE, reg, IARG_REG_VALUE, base, IARG_END);
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_call"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Caller), IARG_G_ARG0_CALLER, IARG_G_ARG1_CALLER, IARG_G_ARG2_CALLER, IARG_G_ARG3_CALLER, IARG_G_ARG4_CALLER, IARG_G_ARG5_CALLER, IARG_END);
    if (is_at(ins, "at_function"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Callee), IARG_G_ARG0_CALLEE, IARG_G_ARG1_CALLEE, IARG_G_ARG2_CALLEE, IARG_G_ARG3_CALLEE, IARG_G_ARG4_CALLEE, IARG_G_ARG5_CALLEE, IARG_END);
    if (is_at(ins, "at_return"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Result), IARG_G_RESULT0, IARG_END);
    if (is_at(ins, "at_syscall"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Syscall), IARG_SYSCALL_ARG0, IARG_SYSCALL_ARG1, IARG_SYSCALL_ARG2, IARG_SYSCALL_ARG3, IARG_SYSCALL_ARG4, IARG_SYSCALL_ARG5, IARG_END);
    if (is_at(ins, "at_load"))
        Rewrite(ins, MEMORY_TYPE_READ, INS_RewriteMemoryAddressingToBaseRegisterOnly, REG_INST_G0);
    if (is_at(ins, "at_store"))
        Rewrite(ins, MEMORY_TYPE_WRITE, INS_ChangeMemOpToBaseRegisterAddressMode, REG_INST_G1);
}

/* The names by which a list of arguments was counted: by number, the first and the last. */
static VOID Ranges(INS ins, VOID *)
{
    if (is_at(ins, "at_function"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Callee), IARG_G_ARGBASE_CALLEE, IARG_G_ARGBASE_CALLEE + 1, IARG_G_ARGBASE_CALLEE + 2, IARG_G_ARGLAST_CALLEE - 2, IARG_G_ARGLAST_CALLEE - 1,
                       IARG_G_ARGLAST_CALLEE, IARG_END);
    if (is_at(ins, "at_call"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Caller), IARG_G_ARGBASE_CALLER, IARG_G_ARGBASE_CALLER + 1, IARG_G_ARGBASE_CALLER + 2, IARG_G_ARGLAST_CALLER - 2, IARG_G_ARGLAST_CALLER - 1,
                       IARG_G_ARGLAST_CALLER, IARG_END);
    if (is_at(ins, "at_return")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Result), IARG_G_RETBASE, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Result), IARG_G_RESULTLAST, IARG_END);
    }
    if (is_at(ins, "at_syscall"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Syscall), IARG_SYSCALL_ARGBASE, IARG_SYSCALL_ARGBASE + 1, IARG_SYSCALL_ARGBASE + 2, IARG_SYSCALL_ARGLAST - 2, IARG_SYSCALL_ARGLAST - 1,
                       IARG_SYSCALL_ARGLAST, IARG_END);
}

static VOID Image(IMG img, VOID *)
{
    RTN sum = RTN_FindByName(img, "sum"), product = RTN_FindByName(img, "product");
    if (RTN_Valid(sum))
        RTN_ReplaceWithUninstrumentedRoutine(sum, AFUNPTR(Product));
    if (RTN_Valid(product))
        RTN_ComplexReplaceWithUninstrumentedRoutine(product, AFUNPTR(Sum));
}

static VOID Texts()
{
    REGSET set;
    REGSET_Clear(set);
    REGSET_Insert(set, REG_RAX);
    REGSET_Insert(set, REG_RBX);
    std::printf("%s; %s %ld %s", REGSET_StringList(set).c_str(), Basename("/a/b.c").c_str(), (long)VoidStar2Int(&set) - (long)&set, StringFromAddrint(0x12).c_str());
    SetAddress0x(false);
    std::printf(" %s", StringFromAddrint(0x12).c_str());
    SetAddress0x(true);
    std::printf(" %s\n", StringFromAddrint(0x12).c_str());
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    INS_AddInstrumentFunction(option("ranges") ? Ranges : Instruction, 0);
    if (!option("ranges")) {
        IMG_AddInstrumentFunction(Image, 0);
        PIN_AddFiniFunction(Fini, 0);
        Texts();
    }
    PIN_StartProgram();
}

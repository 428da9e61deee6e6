/* SPDX-License-Identifier: Apache-2.0
 * Every memory operand of the instructions from at_first to at_last: IARG_MEMORYOP_EA, then what IARG_MEMORYREAD_EA and its friends say, through routines that call others and leaves. */
#include "golden.h"

#include <map>

static VOID Operand(const char *text, UINT32 n, BOOL read, BOOL written, ADDRINT ea, UINT32 size)
{
    std::printf("%s: op %u %s%s 0x%lx %u\n", text, n, read ? "R" : "", written ? "W" : "", ea, size);
}
static VOID Access(const char *kind, ADDRINT ea, UINT32 size) { std::printf("  %s 0x%lx %u\n", kind, ea, size); }
static VOID Read2(ADDRINT ea) { std::printf("  read2 0x%lx\n", ea); }

static VOID Same(ADDRINT ea, VOID *pointer)
{
    if (ea != reinterpret_cast<ADDRINT>(pointer))
        std::printf("  the pointer is 0x%lx\n", reinterpret_cast<ADDRINT>(pointer));
}

static std::map<ADDRINT, ADDRINT> leaf;
static VOID Keep(ADDRINT *to, ADDRINT ea) { *to = ea; }

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    static std::map<ADDRINT, std::string> text;
    const char *t = (text[INS_Address(ins)] = INS_Mnemonic(ins)).c_str();
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Operand), IARG_PTR, t, IARG_UINT32, i, IARG_BOOL, INS_MemoryOperandIsRead(ins, i), IARG_BOOL, INS_MemoryOperandIsWritten(ins, i),
                       IARG_MEMORYOP_EA, i, IARG_UINT32, (UINT32)INS_MemoryOperandSize(ins, i), IARG_END);
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_MEMORYOP_EA, i, IARG_MEMORYOP_PTR, i, IARG_END);
    if (INS_IsMemoryRead(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_MEMORYREAD_EA, IARG_MEMORYREAD_PTR, IARG_END);
    if (INS_HasMemoryRead2(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_MEMORYREAD2_EA, IARG_MEMORYREAD2_PTR, IARG_END);
    if (INS_IsMemoryWrite(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_MEMORYWRITE_EA, IARG_MEMORYWRITE_PTR, IARG_END);
    if (INS_IsMemoryRead(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Access), IARG_PTR, "read", IARG_MEMORYREAD_EA, IARG_MEMORYREAD_SIZE, IARG_END);
    if (INS_HasMemoryRead2(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Read2), IARG_MEMORYREAD2_EA, IARG_END);
    if (INS_IsMemoryWrite(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Access), IARG_PTR, "write", IARG_MEMORYWRITE_EA, IARG_MEMORYWRITE_SIZE, IARG_END);
}

/* Option leaf=1: only leaves, whose bridge saves less. */
static VOID Leaf(INS ins, VOID *)
{
    if (in_range(ins) && INS_MemoryOperandCount(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Keep), IARG_PTR, &leaf[INS_Address(ins)], IARG_MEMORYOP_EA, 0, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    for (std::map<ADDRINT, ADDRINT>::iterator i = leaf.begin(); i != leaf.end(); ++i)
        std::printf("0x%lx: 0x%lx\n", i->first, i->second);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(option("leaf") ? Leaf : Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * IARG_MULTI_MEMORYACCESS_EA, IARG_MULTI_ELEMENT_OPERAND, IARG_MEMORYOP_MASKED_ON, IARG_FIRST_REP_ITERATION, IARG_EXPLICIT_MEMORY_EA, sizes of XSAVE areas, and targets of branches
 * through memory that is not there. Rule A42. */
#include "golden.h"

#include <map>

static VOID Accesses(const char *text, PIN_MULTI_MEM_ACCESS_INFO *info)
{
    std::printf("%s:", text);
    for (UINT32 i = 0; i < info->numberOfMemops; i++) {
        const PIN_MEM_ACCESS_INFO &m = info->memop[i];
        std::printf(" %s 0x%lx/%u %s", m.memopType == PIN_MEMOP_LOAD ? "LOAD" : "STORE", m.memoryAddress, m.bytesAccessed, m.maskOn ? "on" : "off");
    }
    std::printf("\n");
}

static VOID Elements(IMULTI_ELEMENT_OPERAND *o)
{
    std::printf("  %s %u elements of %lu, %lu bytes at 0x%lx:", o->IsMemory() ? "memory" : o->IsRegister() ? "register" : "?", o->NumOfElements(), (unsigned long)o->ElementSize(0), (unsigned long)o->Size(), o->Address());
    for (UINT32 i = 0; i < o->NumOfElements(); i++)
        std::printf(" 0x%lx +%u mask %u access %d,", o->ElementAddress(i), o->ElementOffset(i), o->ElementMaskValue(i), (int)o->ElementAccessType(i));
    std::printf("\n");
}

static VOID Masked(BOOL on) { std::printf("  masked on %d\n", on); }
static VOID Explicit(ADDRINT ea) { std::printf("  explicit 0x%lx\n", ea); }
static VOID First(BOOL first, BOOL executing, ADDRINT rcx) { std::printf("rep: first %d executing %d rcx %lu\n", first, executing, rcx); }
static VOID Size(const char *text, UINT32 size) { std::printf("%s %u bytes\n", text, size); }
static VOID SameSize(UINT32 size, PIN_MULTI_MEM_ACCESS_INFO *info)
{
    for (UINT32 i = 0; i < info->numberOfMemops; i++)
        if (info->memop[i].bytesAccessed != size)
            std::printf("  but access %u has %lu\n", i, (unsigned long)info->memop[i].bytesAccessed);
}
static VOID Branch(ADDRINT pc, ADDRINT target, BOOL taken) { std::printf("branch at 0x%lx to 0x%lx taken %d\n", pc, target, taken); }

static VOID Instruction(INS ins, VOID *)
{
    static std::map<ADDRINT, std::string> texts;
    if (is_at(ins, "at_bad_jump") || is_at(ins, "at_bad_call") || is_at(ins, "at_bad_ret"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Branch), IARG_INST_PTR, IARG_BRANCH_TARGET_ADDR, IARG_BRANCH_TAKEN, IARG_END);
    if (!in_range(ins))
        return;
    const char *text = (texts[INS_Address(ins)] = INS_Mnemonic(ins)).c_str();
    if (INS_RepPrefix(ins) || INS_RepnePrefix(ins)) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(First), IARG_FIRST_REP_ITERATION, IARG_PREDICATE, IARG_REG_VALUE, REG_RCX, IARG_END);
        return;
    }
    if (std::strstr(text, "XSAVE") || std::strstr(text, "XRSTOR")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Size), IARG_PTR, text, IARG_MEMORYOP_SIZE, 0, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(SameSize), IARG_MEMORYOP_SIZE, 0, IARG_MULTI_MEMORYACCESS_EA, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Size), IARG_PTR, "  after it", IARG_MEMORYOP_SIZE, 0, IARG_END);
        return;
    }
    if (INS_MemoryOperandCount(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Accesses), IARG_PTR, text, IARG_MULTI_MEMORYACCESS_EA, IARG_END);
    bool vector = std::strstr(text, "GATHER") || std::strstr(text, "MASKMOV") || std::strstr(text, "MOVAPS");
    for (UINT32 i = 0; vector && i < INS_OperandCount(ins); i++)
        if (INS_OperandIsMemory(ins, i))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Elements), IARG_MULTI_ELEMENT_OPERAND, i, IARG_END);
    if (vector && INS_MemoryOperandCount(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Masked), IARG_MEMORYOP_MASKED_ON, 0, IARG_END);
    else if (INS_HasExplicitMemoryReference(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Explicit), IARG_EXPLICIT_MEMORY_EA, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Calls run once for each execution, also when signals arrive at any moment: counts by instruction from at_first to at_last, before, after and where taken. rewrite=1: memory operands get the
 * addresses that they have anyway. The instructions at_gone and at_jump are deleted, at_jump goes to at_landing. */
#include "golden.h"

#include <map>

struct counters {
    UINT64 before, after, taken;
    bool has_after, has_taken;
};
static std::map<ADDRINT, counters> all;

static VOID Leaf(UINT64 *n) { ++*n; }
static VOID __attribute__((noinline)) Deep(UINT64 *n) { *(volatile UINT64 *)n = *n + 1; }
static VOID Full(UINT64 *n)
{
    char text[32];
    std::snprintf(text, sizeof text, "%lu", *n); /* long enough for signals to come in it */
    if (text[0])
        Deep(n);
}

static ADDRINT Same(ADDRINT v) { return v; }

static VOID Change(INS ins)
{
    for (UINT32 i = 0; option("rewrite") && i < INS_MemoryOperandCount(ins); i++) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_MEMORYOP_EA, i, IARG_RETURN_REGS, REG(REG_INST_G0 + i), IARG_END);
        INS_RewriteMemoryOperand(ins, i, REG(REG_INST_G0 + i));
    }
    if (is_at(ins, "at_jump")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Same), IARG_ADDRINT, at("at_landing"), IARG_RETURN_REGS, REG_INST_G9, IARG_END);
        INS_InsertIndirectJump(ins, IPOINT_AFTER, REG_INST_G9);
    }
    if (is_at(ins, "at_gone") || is_at(ins, "at_jump"))
        INS_Delete(ins);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    AFUNPTR fn = option("leaf") ? AFUNPTR(Leaf) : AFUNPTR(Full);
    counters &c = all[INS_Address(ins)];
    Change(ins);
    INS_InsertCall(ins, IPOINT_BEFORE, fn, IARG_PTR, &c.before, IARG_END);
    c.has_after = INS_IsValidForIpointAfter(ins);
    c.has_taken = INS_IsValidForIpointTakenBranch(ins);
    if (c.has_after)
        INS_InsertCall(ins, IPOINT_AFTER, fn, IARG_PTR, &c.after, IARG_END);
    if (c.has_taken)
        INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, fn, IARG_PTR, &c.taken, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    for (std::map<ADDRINT, counters>::iterator i = all.begin(); i != all.end(); ++i) {
        std::printf("0x%lx %lu", i->first, i->second.before);
        if (i->second.has_after)
            std::printf(" after %lu", i->second.after);
        if (i->second.has_taken)
            std::printf(" taken %lu", i->second.taken);
        std::printf("\n");
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

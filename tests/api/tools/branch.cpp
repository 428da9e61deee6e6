/* SPDX-License-Identifier: Apache-2.0
 * Every transfer of control from at_first to at_last: taken, target, fall-through before it; then the calls where it is taken, or after it. */
#include "golden.h"

#include <map>

static VOID Before(const char *text, ADDRINT pc, BOOL taken, ADDRINT target, ADDRINT next) { std::printf("%s 0x%lx: %s 0x%lx, else 0x%lx\n", text, pc, taken ? "taken" : "not taken", target, next); }
static VOID Taken(ADDRINT pc, ADDRINT target, ADDRINT rip, ADDRINT rcx) { std::printf("  taken 0x%lx to 0x%lx, rip 0x%lx, rcx 0x%lx\n", pc, target, rip, rcx); }
/* The contexts are at the target, too. */
static VOID TakenContexts(ADDRINT target, const CONTEXT *c, CONTEXT *own)
{
    if (PIN_GetContextReg(c, REG_INST_PTR) != target || PIN_GetContextReg(own, REG_INST_PTR) != target)
        std::printf("  contexts at 0x%lx and 0x%lx\n", PIN_GetContextReg(c, REG_INST_PTR), PIN_GetContextReg(own, REG_INST_PTR));
}
/* A direct call has pushed its return address there: what goes on from such a context finds it. */
static VOID Pushed(ADDRINT next, ADDRINT sp, const CONTEXT *c)
{
    ADDRINT top = 0;
    PIN_SafeCopy(&top, (VOID *)sp, sizeof top);
    if (top != next || PIN_GetContextReg(c, REG_STACK_PTR) != sp)
        std::printf("  0x%lx on the stack, not 0x%lx\n", top, next);
}
static VOID After(ADDRINT pc, ADDRINT rip, ADDRINT rcx) { std::printf("  after 0x%lx, rip 0x%lx, rcx 0x%lx\n", pc, rip, rcx); }

static ADDRINT leaf_taken, leaf_after;
static VOID Count(ADDRINT *counter) { ++*counter; }

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins) || !INS_IsControlFlow(ins))
        return;
    static std::map<ADDRINT, std::string> text;
    const char *t = (text[INS_Address(ins)] = INS_Mnemonic(ins)).c_str();
    if (!option("leaf")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Before), IARG_PTR, t, IARG_INST_PTR, IARG_BRANCH_TAKEN, IARG_BRANCH_TARGET_ADDR, IARG_FALLTHROUGH_ADDR, IARG_END);
        if (INS_IsValidForIpointTakenBranch(ins))
            INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Taken), IARG_INST_PTR, IARG_BRANCH_TARGET_ADDR, IARG_REG_VALUE, REG_INST_PTR, IARG_REG_VALUE, REG_RCX, IARG_END);
        if (INS_IsValidForIpointTakenBranch(ins))
            INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(TakenContexts), IARG_BRANCH_TARGET_ADDR, IARG_CONST_CONTEXT, IARG_CONTEXT, IARG_END);
        if (INS_IsDirectCall(ins))
            INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Pushed), IARG_FALLTHROUGH_ADDR, IARG_REG_VALUE, REG_STACK_PTR, IARG_CONST_CONTEXT, IARG_END);
        if (INS_IsValidForIpointAfter(ins))
            INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(After), IARG_INST_PTR, IARG_REG_VALUE, REG_INST_PTR, IARG_REG_VALUE, REG_RCX, IARG_END);
        return;
    }
    if (INS_IsValidForIpointTakenBranch(ins))
        INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Count), IARG_PTR, &leaf_taken, IARG_END);
    if (INS_IsValidForIpointAfter(ins))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Count), IARG_PTR, &leaf_after, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    if (option("leaf"))
        std::printf("%lu taken, %lu fell through\n", leaf_taken, leaf_after);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// jumpmix: how often control flow instructions of each kind were executed, and how often they jumped.
#include "region.h"

enum Kind { CONDITIONAL, DIRECT_JUMP, INDIRECT_JUMP, DIRECT_CALL, INDIRECT_CALL, RETURN, SYSCALL, OTHER, KINDS };
static const char *const names[] = {"conditional branch", "direct jump", "indirect jump", "direct call", "indirect call", "return", "system call", "other"};
static struct {
    UINT64 executed, taken;
} counts[KINDS];

static Kind KindOf(INS ins)
{
    if (INS_IsSyscall(ins))
        return SYSCALL;
    if (INS_IsRet(ins))
        return RETURN;
    if (INS_IsCall(ins))
        return INS_IsDirectCall(ins) ? DIRECT_CALL : INDIRECT_CALL;
    if (!INS_IsBranch(ins))
        return OTHER;
    if (INS_HasFallThrough(ins))
        return CONDITIONAL;
    return INS_IsDirectBranch(ins) ? DIRECT_JUMP : INDIRECT_JUMP;
}

static VOID Conditional(BOOL taken)
{
    tool_add(&counts[CONDITIONAL].executed, 1);
    tool_add(&counts[CONDITIONAL].taken, taken);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsControlFlow(ins) && !INS_IsSyscall(ins))
        return;
    Kind kind = KindOf(ins);
    if (kind == CONDITIONAL)
        REGION_CALL(ins, AFUNPTR(Conditional), IARG_BRANCH_TAKEN, IARG_END);
    else
        REGION_CALL(ins, AFUNPTR(tool_count), IARG_PTR, &counts[kind].executed, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    fprintf(out, "%-20s %15s %15s %8s\n", "kind", "executed", "taken", "taken");
    for (int k = 0; k < KINDS; k++) {
        UINT64 taken = k == CONDITIONAL ? counts[k].taken : k == SYSCALL ? 0 : counts[k].executed;
        if (counts[k].executed)
            fprintf(out, "%-20s %15lu %15lu %7.2f%%\n", names[k], counts[k].executed, taken, tool_percent(taken, counts[k].executed));
    }
    fflush(out);
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "jumpmix: how often control flow instructions of each kind were executed and taken");
    region_start();
    INS_AddInstrumentFunction(Instruction, 0);
    tool_fini(Fini, FALSE);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// calltrace: every call, indented by its depth, with the routine's name and its first arguments.
#include "lib/where.h"
#include "region.h"

#include <map>
#include <vector>

static KNOB<BOOL> KnobArgs(KNOB_MODE_WRITEONCE, "pintool", "args", "0", "the first three arguments, as numbers");

// Stack pointers at the calls that have not returned. Kept by value, so longjmp and exceptions do no harm: what lies below a call's stack pointer is over.
static std::vector<ADDRINT> stacks[PIN_MAX_THREADS];
static std::map<ADDRINT, std::string> names;
static PIN_LOCK lock;

static const char *NameOf(ADDRINT target)
{
    PIN_LockClient();
    PIN_GetLock(&lock, 1);
    std::string &name = names[target];
    if (name.empty())
        name = tool_name_of(target);
    PIN_ReleaseLock(&lock);
    PIN_UnlockClient();
    return name.c_str();
}

static size_t Depth(THREADID tid, ADDRINT sp)
{
    std::vector<ADDRINT> &stack = stacks[tid];
    while (!stack.empty() && stack.back() <= sp)
        stack.pop_back();
    stack.push_back(sp);
    return stack.size() - 1;
}

static VOID Call(THREADID tid, ADDRINT sp, ADDRINT target) { fprintf(out, "%u %*s%s\n", tid, int(2 * Depth(tid, sp)), "", NameOf(target)); }

static VOID CallArgs(THREADID tid, ADDRINT sp, ADDRINT target, ADDRINT a, ADDRINT b, ADDRINT c)
{
    fprintf(out, "%u %*s%s(0x%lx, 0x%lx, 0x%lx)\n", tid, int(2 * Depth(tid, sp)), "", NameOf(target), a, b, c);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsCall(ins) || !where_wanted(INS_Address(ins)))
        return;
    if (KnobArgs)
        REGION_CALL(ins, AFUNPTR(CallArgs), IARG_THREAD_ID, IARG_REG_VALUE, REG_STACK_PTR, IARG_BRANCH_TARGET_ADDR, IARG_FUNCARG_CALLSITE_VALUE, 0,
            IARG_FUNCARG_CALLSITE_VALUE, 1, IARG_FUNCARG_CALLSITE_VALUE, 2, IARG_END);
    else
        REGION_CALL(ins, AFUNPTR(Call), IARG_THREAD_ID, IARG_REG_VALUE, REG_STACK_PTR, IARG_BRANCH_TARGET_ADDR, IARG_END);
}

static VOID Fini(INT32, VOID *) { fflush(out); }

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by format top", "calls are written as they come; callgraph and profile count them"}, {"stack", "all calls are shown, each below its caller"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"calltrace", "every call, indented by its depth", "", "0", ""});
    tool_init_lock(&lock);
    INS_AddInstrumentFunction(Instruction, 0);
    tool_fini(Fini, TRUE);
    PIN_StartProgram();
}

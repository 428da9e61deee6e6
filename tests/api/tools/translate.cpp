/* SPDX-License-Identifier: Apache-2.0
 * PIN_AddMemoryAddressTransFunction: pointers to operands, targets of branches in memory and what the engine reads in place of an instruction go through it. Addresses of `table` become those of `other`.
 * Also IARG_MEMORY_VALUE, IARG_MEMORY_REFERENCE, IARG_STACK_VALUE, IARG_STACK_REFERENCE. Rules A46, A47. */
#include "golden.h"

static int mark;

static ADDRINT Translate(PIN_MEM_TRANS_INFO *info, VOID *v)
{
    if (v != &mark || info->threadIndex != PIN_ThreadId())
        std::printf("wrong arguments\n");
    bool in_table = info->addr >= at("at_table") && info->addr < at("at_other");
    if (in_table || info->flags.bits.isFromPin)
        std::printf("0x%lx: %s 0x%lx, %u bytes%s%s%s%s\n", info->ip, info->memOpType == PIN_MEMOP_STORE ? "store" : "load", info->addr, info->bytes, info->flags.bits.isAtomic ? " atomic" : "",
                    info->flags.bits.isPrefetch ? " prefetch" : "", info->flags.bits.isRmw ? " rmw" : "", info->flags.bits.isFromPin ? " of the engine" : "");
    return in_table ? info->addr - at("at_table") + at("at_other") : info->addr;
}

static VOID Pointer(const char *what, ADDRINT ea, ADDRINT ptr) { std::printf("  %s: 0x%lx is 0x%lx\n", what, ea, ptr); }
static VOID Target(ADDRINT target) { std::printf("  target 0x%lx\n", target); }
static VOID Values(ADDRINT memory, const VOID *reference, ADDRINT stack, const VOID *top, ADDRINT sp)
{
    std::printf("  memory 0x%lx at 0x%lx, stack 0x%lx%s\n", memory, ADDRINT(reference), stack, ADDRINT(top) == sp ? "" : ", top of the stack is elsewhere");
}
static VOID Stack(ADDRINT stack, ADDRINT *top)
{
    std::printf("  stack 0x%lx\n", stack);
    *top = 77;
}
static ADDRINT Never() { return 0; }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_stack"))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Stack), IARG_STACK_VALUE, IARG_STACK_REFERENCE, IARG_END);
    if (!in_range(ins))
        return;
    if (option("values")) {
        if (INS_MemoryOperandCount(ins))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Values), IARG_MEMORY_VALUE, IARG_MEMORY_REFERENCE, IARG_STACK_VALUE, IARG_STACK_REFERENCE, IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
        return;
    }
    if (INS_IsControlFlow(ins)) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Target), IARG_BRANCH_TARGET_ADDR, IARG_END);
        return;
    }
    if (INS_IsMemoryRead(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Pointer), IARG_PTR, "read", IARG_MEMORYREAD_EA, IARG_MEMORYREAD_PTR, IARG_END);
    if (INS_HasMemoryRead2(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Pointer), IARG_PTR, "read2", IARG_MEMORYREAD2_EA, IARG_MEMORYREAD2_PTR, IARG_END);
    if (INS_IsMemoryWrite(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Pointer), IARG_PTR, "write", IARG_MEMORYWRITE_EA, IARG_MEMORYWRITE_PTR, IARG_END);
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Never), IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Pointer), IARG_PTR, "never", IARG_MEMORYOP_EA, i, IARG_MEMORYOP_PTR, i, IARG_END);
    }
}

static VOID Fini(INT32 status, VOID *) { std::printf("status %d\n", status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (!option("values")) {
        if (PIN_GetMemoryAddressTransFunction())
            std::printf("a function from nowhere\n");
        PIN_AddMemoryAddressTransFunction(Translate, &mark);
        if (PIN_GetMemoryAddressTransFunction() != Translate)
            std::printf("not the function\n");
    }
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

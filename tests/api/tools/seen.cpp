/* SPDX-License-Identifier: Apache-2.0
 * What the program does not need any more, but a call sees: flags and registers in a context behind inlined calls. part=1: a routine of which a part uses the stack, with a constant there in the place of a register that the
 * program needs. */
#include "golden.h"

static UINT64 sum;

static VOID Mix(ADDRINT x) { sum = sum * 3 + x; }

static VOID See(const CONTEXT *c) { std::printf("flags %lx rcx %lx rdx %lx\n", PIN_GetContextReg(c, REG_RFLAGS) & 0x8d5, PIN_GetContextReg(c, REG_RCX), PIN_GetContextReg(c, REG_RDX)); }

/* rdi is a constant, and is only read. */
static VOID Part(ADDRINT constant, ADDRINT x)
{
    ADDRINT copy = 1;
    if (!(x & 1))
        asm volatile("push %1; pop %0" : "=r"(copy) : "r"(constant));
    sum += copy;
}

static VOID Show(ADDRINT rdi, ADDRINT rsi) { std::printf("rdi %lx rsi %lx\n", rdi, rsi); }

static VOID Instruction(INS ins, VOID *)
{
    if (in_range(ins) && option("part"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Part), IARG_ADDRINT, 0x1234, IARG_REG_VALUE, REG_RBX, IARG_END);
    else if (in_range(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Mix), IARG_INST_PTR, IARG_END);
    if ((is_at(ins, "at_here") || is_at(ins, "at_start")) && !option("part")) /* the first one lets the engine know that there are such calls (limits.md) */
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(See), IARG_CONST_CONTEXT, IARG_END);
    if (is_at(ins, "at_last"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_REG_VALUE, REG_RDI, IARG_REG_VALUE, REG_RSI, IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("sum %lx\n", option("part") ? sum : 0); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

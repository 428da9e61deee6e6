/* SPDX-License-Identifier: Apache-2.0
 * The time stamp for a routine that uses no other register: what rdtsc overwrites is the program's, and comes back. */
#include "golden.h"

static UINT64 last, stamps;

static VOID Stamp(UINT64 now)
{
    stamps += now != 0;
    last = now;
}

static VOID Show(ADDRINT rax, ADDRINT rcx, ADDRINT rdx) { std::printf("rax %lx rcx %lx rdx %lx\n", rax, rcx, rdx); }

static VOID Instruction(INS ins, VOID *)
{
    if (in_range(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Stamp), IARG_TSC, IARG_END);
    if (is_at(ins, "at_last"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_REG_VALUE, REG_RAX, IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE, REG_RDX, IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("%lu stamps, the last %s\n", stamps, last ? "there" : "missing"); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

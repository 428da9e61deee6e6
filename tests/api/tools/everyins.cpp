/* SPDX-License-Identifier: Apache-2.0
 * A routine that is no leaf and clobbers what it may, before every instruction: the guest must not notice (mode `tool` of tests/run.py). Prints nothing. */
#include "pin.H"

#include <cmath>
#include <cstring>

static volatile double sink;

static VOID __attribute__((noinline)) Deep(ADDRINT pc, UINT32 size)
{
    char text[256];
    std::memset(text, (int)pc, sizeof text);
    sink = std::sqrt((double)(pc + size + (unsigned char)text[size]));
}

static VOID Analyse(ADDRINT pc, UINT32 size)
{
    Deep(pc, size);
    __asm__ volatile("xor %%eax,%%eax; cmp $1,%%eax; pcmpeqd %%xmm0,%%xmm0; pcmpeqd %%xmm15,%%xmm15; std; cld" : : : "rax", "xmm0", "xmm15", "cc");
}

static VOID Instruction(INS ins, VOID *)
{
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Analyse), IARG_INST_PTR, IARG_UINT32, (UINT32)INS_Size(ins), IARG_END);
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// memcall: a call with three arguments, too large to inline, before every memory access: a small direct-mapped cache, with a set of the lines that were ever seen on a miss.
#include "result.h"

static const UINT32 lines = 512, line_bits = 6;
static ADDRINT tag[lines];
static UINT64 hits, misses, bytes;
static UINT8 seen[1 << 16];

static __attribute__((noinline)) VOID Miss(ADDRINT line, ADDRINT pc)
{
    misses++;
    seen[(line * 0x9e3779b97f4a7c15u ^ pc) >> 48] = 1;
}

static VOID Access(ADDRINT pc, ADDRINT address, UINT32 size)
{
    bytes += size;
    for (ADDRINT line = address >> line_bits; line <= (address + size - 1) >> line_bits; line++) {
        ADDRINT *at = &tag[line % lines];
        if (*at == line) {
            hits++;
        } else {
            *at = line;
            Miss(line, pc);
        }
    }
}

static VOID Instruction(INS ins, VOID *)
{
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins) && !INS_HasScatteredMemoryAccess(ins); i++) // gathers have many addresses
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Access), IARG_INST_PTR, IARG_MEMORYOP_EA, i, IARG_UINT32, INS_MemoryOperandSize(ins, i), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    result_write("hits", hits);
    result_write("misses", misses);
    result_write("bytes", bytes);
}

int main(int argc, char **argv)
{
    result_start(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

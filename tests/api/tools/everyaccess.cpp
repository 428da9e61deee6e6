/* SPDX-License-Identifier: Apache-2.0
 * Routines that are inlined, whole or in part, at every memory access, and nothing that would end what they keep from call to call: flags in a register, the address of their data, registers in the context.
 * The guest must not notice (mode `access` of tests/run.py). Prints nothing. */
#include "pin.H"

static const UINT32 lines = 64;
static ADDRINT tag[lines];
static UINT64 hits, misses, bytes, large;

static VOID __attribute__((noinline)) Miss(ADDRINT line, ADDRINT pc) { misses += line ^ pc; }

static VOID Access(ADDRINT pc, ADDRINT address, UINT32 size)
{
    bytes += size;
    for (ADDRINT line = address >> 6; line <= (address + size - 1) >> 6; line++) {
        ADDRINT *at = &tag[line % lines];
        if (*at == line) {
            hits++;
        } else {
            *at = line;
            Miss(line, pc);
        }
    }
}

static VOID Large(UINT32 size) { large += size > 16 ? size : 0; }

static VOID Instruction(INS ins, VOID *)
{
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins) && !INS_HasScatteredMemoryAccess(ins); i++) {
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Access), IARG_INST_PTR, IARG_MEMORYOP_EA, i, IARG_UINT32, INS_MemoryOperandSize(ins, i), IARG_END);
        if (INS_Address(ins) % 8 == 3)
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Large), IARG_UINT32, INS_MemoryOperandSize(ins, i), IARG_END);
    }
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

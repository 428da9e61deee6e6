// SPDX-License-Identifier: Apache-2.0
// In IA-32 programs: accesses through GS at an address alone are at the base of GS, which its name and a context give, and their text has 32 bits.
#include "pin.H"

#include <set>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PIN_LOCK lock;
static std::set<ADDRINT> bases;
static UINT64 accesses, wrong;
static bool long_text;

static VOID Access(THREADID tid, ADDRINT ea, ADDRINT gs, ADDRINT displacement, const CONTEXT *context)
{
    PIN_GetLock(&lock, tid + 1);
    accesses++;
    bases.insert(gs);
    wrong += ea != UINT32(gs + displacement) || PIN_GetContextReg(context, REG_SEG_GS_BASE) != gs;
    PIN_ReleaseLock(&lock);
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_SegmentRegPrefix(ins) != REG_SEG_GS || INS_MemoryOperandCount(ins) != 1)
        return;
    UINT32 op = INS_MemoryOperandIndexToOperandIndex(ins, 0);
    if (REG_valid(INS_OperandMemoryBaseReg(ins, op)) || REG_valid(INS_OperandMemoryIndexReg(ins, op)))
        return;
    std::string text = INS_Disassemble(ins);
    size_t at = text.find("gs:[0x");
    long_text |= at == std::string::npos || strspn(text.c_str() + at + 6, "0123456789abcdef") > 8;
    INS_InsertPredicatedCall(ins, IPOINT_BEFORE, (AFUNPTR)Access, IARG_THREAD_ID, IARG_MEMORYOP_EA, 0, IARG_REG_VALUE, REG_SEG_GS_BASE, IARG_ADDRINT,
                             ADDRINT(INS_OperandMemoryDisplacement(ins, op)), IARG_CONST_CONTEXT, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    fprintf(stderr, "bases: %lu accesses, %lu bases, %lu wrong, %s\n", (unsigned long)accesses, (unsigned long)bases.size(), (unsigned long)wrong,
            long_text ? "long texts" : "gs:[0xffffffcc] only");
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    PIN_InitLock(&lock);
    INS_AddInstrumentFunction(Instruction, NULL);
    PIN_AddFiniFunction(Fini, NULL);
    PIN_StartProgram();
}

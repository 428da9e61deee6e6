/* SPDX-License-Identifier: Apache-2.0
 * Every access is a record of a trace buffer, at some instructions beside calls of other forms, in buffers between pages that cannot be touched: the guest must not notice (mode `fills` of tests/run.py). Prints nothing, unless a record is wrong: then the
 * process ends with status 99. With -few 1 a buffer has room for 32 records, the fewest for which a register may point at the next one. */
#include "guarded.h"

#include <cstddef>
#include <unistd.h>

struct record {
    ADDRINT address, pc, value;
    UINT32 size;
    THREADID thread;
};

static KNOB<BOOL> KnobFew(KNOB_MODE_WRITEONCE, "pintool", "few", "0", "few records in a buffer");
static BUFFER_ID buffer;
static USIZE stride = sizeof(record);
static UINT64 count, sum;
static const UINT32 PAGES = 2, THREADS = 4096;
static VOID *guarded[THREADS];

static VOID *Full(BUFFER_ID, THREADID thread, const CONTEXT *c, VOID *start, UINT64 n, VOID *)
{
    for (UINT64 i = 0; i < n; i++) {
        const record *r = reinterpret_cast<record *>(static_cast<CHAR *>(start) + i * stride);
        if (!r->pc || r->size != (r->pc & 255) || r->thread != thread)
            _exit(99);
    }
    sum += PIN_GetContextReg(c, REG_R11);
    if (thread >= THREADS || start == guarded[thread])
        return start;
    PIN_DeallocateBuffer(buffer, start);
    return guarded[thread] ? guarded[thread] : guarded[thread] = guarded_buffer(PAGES);
}

static VOID Count() { count++; }
static ADDRINT Often(ADDRINT pc) { return ++count % 97 == pc % 2; }
static VOID Then(const CONTEXT *c, ADDRINT pc)
{
    if (PIN_GetContextReg(c, REG_INST_PTR) != pc)
        _exit(99);
}

static VOID Instruction(INS ins, VOID *)
{
    ADDRINT pc = INS_Address(ins);
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        if (!INS_HasScatteredMemoryAccess(ins))
            INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, offsetof(record, address), IARG_INST_PTR, offsetof(record, pc), IARG_REG_VALUE, pc % 3 ? REG_R11 : REG_RDX,
                                           offsetof(record, value), IARG_UINT32, pc & 255, offsetof(record, size), IARG_THREAD_ID, offsetof(record, thread), IARG_END);
    if (pc % 32 == 5)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_END);
    if (pc % 32 == 11) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Often), IARG_INST_PTR, IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_CONST_CONTEXT, IARG_INST_PTR, IARG_END);
    }
    if (INS_IsValidForIpointAfter(ins) && pc % 32 == 2)
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Count), IARG_END);
    if (INS_IsValidForIpointTakenBranch(ins) && pc % 16 == 3)
        INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Count), IARG_END);
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    if (KnobFew)
        stride = PAGES * 4096 / 32;
    buffer = PIN_DefineTraceBuffer(stride, PAGES, Full, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

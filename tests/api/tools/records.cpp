/* SPDX-License-Identifier: Apache-2.0
 * Every access from at_first to at_last as a record of a trace buffer: how many, and a hash of all. reg=1: with the value of a register. pages=N: of the buffer. calls=1: among other calls.
 * values=1: among calls that are given r11. two=1: two buffers. guard=1: the first full buffer is given back for one between pages that cannot be touched; how many records the fullest had. */
#include "golden.h"
#include "guarded.h"

#include <cstddef>

struct Record {
    ADDRINT ea, pc, value;
    UINT32 size;
    THREADID thread;
};

static BUFFER_ID id[2];
static UINT64 records[2], hash[2], instructions, fullest, values;
static UINT32 pages;
static VOID *guarded[2];

static VOID *Full(BUFFER_ID which, THREADID thread, const CONTEXT *, VOID *buffer, UINT64 n, VOID *)
{
    const Record *r = static_cast<Record *>(buffer);
    int k = which == id[1];
    for (UINT64 i = 0; i < n; i++) {
        if (r[i].thread != thread)
            std::printf("record %lu: thread %u\n", records[k] + i, r[i].thread);
        hash[k] = (hash[k] ^ r[i].ea ^ r[i].pc * 5 ^ r[i].value * 3 ^ r[i].size) * 0x100000001b3;
    }
    records[k] += n;
    fullest = n > fullest ? n : fullest;
    if (!option("guard") || buffer == guarded[k])
        return buffer;
    PIN_DeallocateBuffer(which, buffer);
    return guarded[k] = guarded_buffer(pages);
}

static VOID Count() { instructions++; }
static VOID Sum(ADDRINT value) { values = values * 3 + value % 4096; } /* r11 has addresses of the image, which is where it is */
static ADDRINT Odd(ADDRINT pc) { return pc & 1; }

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    if (option("calls") && INS_Address(ins) % 3 == 0) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Odd), IARG_INST_PTR, IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_END);
    }
    if (option("values") && INS_Address(ins) % 3 && !INS_IsSyscall(ins)) /* its calls run again for a signal in between (A5) */
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Sum), IARG_REG_VALUE, REG_R11, IARG_END);
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        BUFFER_ID to = option("two") ? id[INS_Address(ins) >> 2 & 1] : id[0];
        if (option("reg"))
            INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, to, IARG_MEMORYOP_EA, i, offsetof(Record, ea), IARG_INST_PTR, offsetof(Record, pc), IARG_REG_VALUE, i ? REG_R12 : REG_R11, offsetof(Record, value),
                                           IARG_UINT32, INS_MemoryOperandSize(ins, i), offsetof(Record, size), IARG_THREAD_ID, offsetof(Record, thread), IARG_END);
        else
            INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, to, IARG_MEMORYOP_EA, i, offsetof(Record, ea), IARG_INST_PTR, offsetof(Record, pc), IARG_ADDRINT, ADDRINT(1) << 40, offsetof(Record, value),
                                           IARG_UINT32, INS_MemoryOperandSize(ins, i), offsetof(Record, size), IARG_THREAD_ID, offsetof(Record, thread), IARG_END);
    }
}

static VOID Fini(INT32, VOID *)
{
    std::printf("%lu records, hash %lx\n", records[0], hash[0]);
    if (option("two"))
        std::printf("%lu records, hash %lx\n", records[1], hash[1]);
    if (option("values"))
        std::printf("values %lx\n", values);
    if (option("calls"))
        std::printf("%lu calls\n", instructions);
    if (option("guard"))
        std::printf("up to %lu records in %u pages\n", fullest, pages);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    pages = option("pages") ? std::atoi(option("pages")) : 8;
    for (int i = 0; i <= (option("two") != 0); i++)
        id[i] = PIN_DefineTraceBuffer(sizeof(Record), pages, Full, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

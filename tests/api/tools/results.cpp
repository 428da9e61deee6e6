/* SPDX-License-Identifier: Apache-2.0
 * Calls in every form that the engine makes cheaper, and their numbers at the end, which must be the same with and without that (tests/optimiser.py): counters by block, by instruction and by thread, small
 * routines with branches, a large one, If and Then, calls behind instructions and on the way of branches, trace buffers, predicated calls. Sums do not depend on the order of threads. */
#include "pin.H"

#include <cstddef>
#include <cstdio>

enum { BLOCKS, INSTRUCTIONS, BRANCHES, FAR, NEAR, LARGE, THENS, AFTER, TAKEN, RECORDS, EXECUTED, SUMS };
static const char *const names[SUMS] = {"blocks", "instructions", "branches", "far", "near", "large", "thens", "after", "taken", "records", "executed"};
static UINT64 blocks, instructions;
struct Sums {
    UINT64 sum[SUMS];
    UINT64 padding[8];
};
static Sums of[PIN_MAX_THREADS];
static BUFFER_ID buffer;

struct Record {
    ADDRINT address;
    UINT32 size;
    UINT32 pc;
};

static VOID Block(UINT32 n) { __atomic_fetch_add(&blocks, n, __ATOMIC_RELAXED); }
static VOID Instruction() { __atomic_fetch_add(&instructions, 1, __ATOMIC_RELAXED); }
static VOID Branch(THREADID t, BOOL taken) { of[t].sum[BRANCHES] += taken ? 3 : 1; }
static VOID Access(THREADID t, ADDRINT address, UINT32 size)
{
    if (address >> 40)
        of[t].sum[FAR] += address ^ size;
    else
        of[t].sum[NEAR] += address + size;
}

static UINT64 __attribute__((noinline)) Mix(UINT64 v) { return (v ^ v >> 7) * 0x9e3779b97f4a7c15ul; }
static VOID Large(THREADID t, ADDRINT pc, ADDRINT address, UINT32 size)
{
    UINT64 v = Mix(pc);
    for (UINT32 i = 0; i < size % 5; i++)
        v = Mix(v + address) + (v >> (i & 31));
    of[t].sum[LARGE] += v;
}

static ADDRINT Often(ADDRINT address) { return address % 3 == 0; }
static VOID Then(THREADID t, ADDRINT pc, ADDRINT address) { of[t].sum[THENS] += Mix(pc) ^ address; }
static VOID After(THREADID t, ADDRINT pc) { of[t].sum[AFTER] += pc; }
static VOID Taken(THREADID t, ADDRINT target) { of[t].sum[TAKEN] += target; }
static VOID Executed(THREADID t, ADDRINT pc) { of[t].sum[EXECUTED] += pc; }

static VOID *Full(BUFFER_ID, THREADID t, const CONTEXT *, VOID *start, UINT64 n, VOID *)
{
    const Record *r = static_cast<Record *>(start);
    for (UINT64 i = 0; i < n; i++)
        of[t].sum[RECORDS] += Mix(r[i].address + r[i].size) + r[i].pc;
    return start;
}

static VOID AddAccesses(INS ins)
{
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        UINT32 size = INS_MemoryOperandSize(ins, i);
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Access), IARG_THREAD_ID, IARG_MEMORYOP_EA, i, IARG_UINT32, size, IARG_END);
        INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, offsetof(Record, address), IARG_UINT32, size, offsetof(Record, size), IARG_UINT32, UINT32(INS_Address(ins)),
                                       offsetof(Record, pc), IARG_END);
        if (INS_Address(ins) % 4 == 0)
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Large), IARG_THREAD_ID, IARG_INST_PTR, IARG_MEMORYOP_EA, i, IARG_UINT32, size, IARG_END);
        if (INS_Address(ins) % 4 == 1) {
            INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Often), IARG_MEMORYOP_EA, i, IARG_END);
            INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_THREAD_ID, IARG_INST_PTR, IARG_MEMORYOP_EA, i, IARG_END);
        }
    }
}

static VOID AddCalls(INS ins)
{
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Instruction), IARG_END);
    if (!INS_HasScatteredMemoryAccess(ins))
        AddAccesses(ins);
    if (INS_IsBranch(ins) && INS_HasFallThrough(ins) && !INS_IsFarJump(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Branch), IARG_THREAD_ID, IARG_BRANCH_TAKEN, IARG_END);
    if (INS_IsValidForIpointAfter(ins) && INS_Address(ins) % 4 == 2)
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(After), IARG_THREAD_ID, IARG_INST_PTR, IARG_END);
    if (INS_IsValidForIpointTakenBranch(ins) && INS_Address(ins) % 4 == 3)
        INS_InsertCall(ins, IPOINT_TAKEN_BRANCH, AFUNPTR(Taken), IARG_THREAD_ID, IARG_BRANCH_TARGET_ADDR, IARG_END);
    if (INS_IsPredicated(ins))
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Executed), IARG_THREAD_ID, IARG_INST_PTR, IARG_END);
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        BBL_InsertCall(bbl, IPOINT_BEFORE, AFUNPTR(Block), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins))
            AddCalls(ins);
    }
}

static VOID Fini(INT32, VOID *)
{
    Sums all = {};
    for (const Sums &s : of)
        for (UINT32 i = 0; i < SUMS; i++)
            all.sum[i] += s.sum[i];
    all.sum[BLOCKS] = blocks;
    all.sum[INSTRUCTIONS] = instructions;
    for (UINT32 i = 0; i < SUMS; i++)
        fprintf(stderr, "%s %lx\n", names[i], all.sum[i]);
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    buffer = PIN_DefineTraceBuffer(sizeof(Record), 4, Full, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

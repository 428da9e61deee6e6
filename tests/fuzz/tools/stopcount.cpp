/* SPDX-License-Identifier: Apache-2.0
 * Counts the instructions of a fuzzer's case in several ways, for `stops`, which knows from a native run what each must
 * give however often the case is interrupted: an addition (count 0), the sum of the addresses by an inlined routine
 * with a part that is not (count 1), the same from the records of a trace buffer (count 2), and by routines that are
 * called (count 3). At the guest's marker, a kill with SIGSTOP whose third argument is a struct stops, the counts go
 * into that. The knob -ways says which of them: one bit each; 16 makes the calls save all state. */
#include "pin.H"
#include "../fuzz_stops.h"

static KNOB<UINT32> ways(KNOB_MODE_WRITEONCE, "pintool", "ways", "1", "the ways to count, one bit each");

static UINT64 added, summed, recorded, called, rare;
static BUFFER_ID buffer;
static TLS_KEY key; /* the place in the trace buffer up to which records are summed */

static VOID Add() { added++; }

static VOID __attribute__((noinline)) Rare(ADDRINT pc) { rare += pc * 3 + (rare >> 7); }
static VOID Sum(ADDRINT pc)
{
    summed += pc;
    if (pc % 16 == 7)
        Rare(pc);
}

static volatile UINT64 seven = 7;
static VOID __attribute__((noinline)) Deeper(UINT64 n) { rare ^= n / seven; }
static VOID Call(ADDRINT pc)
{
    called++;
    Deeper(pc);
}

static volatile double half = 0.5;
static VOID CallAll(CONTEXT *c, ADDRINT pc)
{
    long double x = half;
    rare += (UINT64)(x * 4) + PIN_GetContextReg(c, REG_INST_PTR) - pc;
    called++;
}

static VOID SumRecords(ADDRINT *from, ADDRINT *to)
{
    for (; from < to; from++)
        recorded += *from;
}

static VOID *Full(BUFFER_ID, THREADID tid, const CONTEXT *, VOID *start, UINT64 n, VOID *)
{
    SumRecords(static_cast<ADDRINT *>(PIN_GetThreadData(key, tid)), static_cast<ADDRINT *>(start) + n);
    PIN_SetThreadData(key, start, tid);
    return start;
}

static VOID ThreadStart(THREADID tid, CONTEXT *c, INT32, VOID *)
{
    if (ways & 4)
        PIN_SetThreadData(key, PIN_GetBufferPointer(c, buffer), tid);
}

static VOID Instruction(INS ins, VOID *)
{
    if (ways & 1)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Add), IARG_END);
    if (ways & 2)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Sum), IARG_INST_PTR, IARG_END);
    if (ways & 4)
        INS_InsertFillBuffer(ins, IPOINT_BEFORE, buffer, IARG_INST_PTR, 0, IARG_END);
    if (ways & 8 && ways & 16)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(CallAll), IARG_CONTEXT, IARG_INST_PTR, IARG_END);
    else if (ways & 8)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Call), IARG_INST_PTR, IARG_END);
}

static VOID SyscallEntry(THREADID tid, CONTEXT *c, SYSCALL_STANDARD std, VOID *)
{
    enum { KILL = 62, STOP = 19 };
    if (PIN_GetSyscallNumber(c, std) != KILL || PIN_GetSyscallArgument(c, std, 1) != STOP)
        return;
    if (ways & 4) {
        ADDRINT *next = static_cast<ADDRINT *>(PIN_GetBufferPointer(c, buffer));
        SumRecords(static_cast<ADDRINT *>(PIN_GetThreadData(key, tid)), next);
        PIN_SetThreadData(key, next, tid);
    }
    struct stops *s = reinterpret_cast<struct stops *>(PIN_GetSyscallArgument(c, std, 2));
    const UINT64 counts[STOPS_COUNTS] = {added, summed, recorded, called};
    for (int i = 0; i < STOPS_COUNTS; i++)
        s->counts[i] = counts[i];
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    key = PIN_CreateThreadDataKey(0);
    if (ways & 4)
        buffer = PIN_DefineTraceBuffer(sizeof(ADDRINT), 2, Full, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddSyscallEntryFunction(SyscallEntry, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// simtrace: a trace for simulators, as their users write such tools: one record of 64 bytes for each instruction, put together by several small calls (its address, up to two registers
// that it writes and four that it reads, their memory addresses, the outcome of a branch), and written through a buffered stream.
#include "result.h"

#include <fstream>

struct Record {
    UINT64 ip;
    UINT8 branch, taken, written[2], read[4];
    UINT64 stored[2], loaded[4];
};
static Record now;
static UINT64 n;
static std::ofstream out;
static KNOB<std::string> KnobTrace(KNOB_MODE_WRITEONCE, "pintool", "trace", "/dev/null", "file for the trace");
static KNOB<UINT64> KnobSkip(KNOB_MODE_WRITEONCE, "pintool", "skip", "0", "instructions before the trace");
static KNOB<UINT64> KnobLength(KNOB_MODE_WRITEONCE, "pintool", "length", "1000000000000", "instructions in the trace");

static VOID Begin(ADDRINT ip)
{
    now = Record();
    now.ip = ip;
}

static VOID Branch(BOOL taken)
{
    now.branch = 1;
    now.taken = UINT8(taken);
}

template <typename T> static VOID Put(T *at, T *end, T value) // where it is already, or at the first free place
{
    while (at != end && *at && *at != value)
        at++;
    if (at != end)
        *at = value;
}

static VOID PutRegister(UINT8 *at, UINT8 *end, UINT32 reg) { Put(at, end, UINT8(reg)); }
static VOID PutAddress(UINT64 *at, UINT64 *end, ADDRINT address) { Put(at, end, UINT64(address)); }

static ADDRINT IsWanted()
{
    n++;
    return n > KnobSkip && n <= KnobSkip + KnobLength;
}

static VOID Write()
{
    char bytes[sizeof now];
    __builtin_memcpy(bytes, &now, sizeof now);
    out.write(bytes, sizeof bytes);
}

static VOID Registers(INS ins)
{
    for (UINT32 i = 0; i < INS_MaxNumRRegs(ins); i++)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(PutRegister), IARG_PTR, now.read, IARG_PTR, now.read + 4, IARG_UINT32, INS_RegR(ins, i), IARG_END);
    for (UINT32 i = 0; i < INS_MaxNumWRegs(ins); i++)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(PutRegister), IARG_PTR, now.written, IARG_PTR, now.written + 2, IARG_UINT32, INS_RegW(ins, i), IARG_END);
}

static VOID Addresses(INS ins)
{
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins) && !INS_HasScatteredMemoryAccess(ins); i++) {
        if (INS_MemoryOperandIsRead(ins, i))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(PutAddress), IARG_PTR, now.loaded, IARG_PTR, now.loaded + 4, IARG_MEMORYOP_EA, i, IARG_END);
        if (INS_MemoryOperandIsWritten(ins, i))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(PutAddress), IARG_PTR, now.stored, IARG_PTR, now.stored + 2, IARG_MEMORYOP_EA, i, IARG_END);
    }
}

static VOID Instruction(INS ins, VOID *)
{
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Begin), IARG_INST_PTR, IARG_END);
    if (INS_IsBranch(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Branch), IARG_BRANCH_TAKEN, IARG_END);
    Registers(ins);
    Addresses(ins);
    INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(IsWanted), IARG_END);
    INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Write), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    out.close();
    result_write("instructions", n);
}

int main(int argc, char **argv)
{
    result_start(argc, argv);
    out.open(KnobTrace.Value().c_str(), std::ios::binary | std::ios::trunc);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

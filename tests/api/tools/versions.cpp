/* SPDX-License-Identifier: Apache-2.0
 * Versions of traces: chosen by a register at at_switch, left at at_back, kept across calls, returns, system calls and signals in between. Rule CC8. */
#include "golden.h"

enum { THREADS = 64 };
static const ADDRINT names[] = {0, 0xdead00000001, 2};
static UINT64 counts[3], wrong;
static UINT64 current[THREADS]; /* what the thread is in, as the program says */

static VOID Work(THREADID tid, UINT32 version)
{
    __sync_fetch_and_add(&counts[version], 1);
    if (current[tid % THREADS] != version)
        __sync_fetch_and_add(&wrong, 1);
}
static VOID Enter(THREADID tid, ADDRINT v) { current[tid % THREADS] = v; }
static VOID Leave(THREADID tid) { current[tid % THREADS] = 0; }

static ADDRINT Twice(ADDRINT v) { return 2 * v; }
static REG tool_reg;

static UINT32 Number(ADDRINT name)
{
    for (UINT32 i = 0; i < 3; i++)
        if (names[i] == name)
            return i;
    std::fprintf(stderr, "version 0x%lx\n", name);
    std::exit(1);
}

static VOID Trace(TRACE trace, VOID *)
{
    UINT32 version = Number(TRACE_Version(trace));
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins)) {
            if (is_at(ins, "at_work"))
                INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Work), IARG_THREAD_ID, IARG_UINT32, version, IARG_END);
            if (is_at(ins, "at_switch") && version == 0) {
                INS_InsertVersionCase(ins, REG_RDI, 1, names[1], IARG_CALL_ORDER, CALL_ORDER_DEFAULT + 10, IARG_END);
                INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Twice), IARG_REG_VALUE, REG_RDI, IARG_RETURN_REGS, tool_reg, IARG_END);
                INS_InsertVersionCase(ins, tool_reg, 4, names[2], IARG_CALL_ORDER, CALL_ORDER_DEFAULT + 10, IARG_END);
                /* in front of the cases, once */
                INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Enter), IARG_THREAD_ID, IARG_REG_VALUE, REG_RDI, IARG_END);
            }
            if (is_at(ins, "at_back")) {
                INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Leave), IARG_THREAD_ID, IARG_END);
                BBL_SetTargetVersion(bbl, 0);
            }
        }
}

static VOID Fini(INT32 status, VOID *) { std::printf("version 0: %lu, 1: %lu, 2: %lu, wrong %lu, status %d\n", counts[0], counts[1], counts[2], wrong, status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    tool_reg = PIN_ClaimToolRegister();
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

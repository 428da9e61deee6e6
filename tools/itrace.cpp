// SPDX-License-Identifier: Apache-2.0
// itrace: every instruction that was executed, in order: thread, address, and on request its text.
#include "region.h"

static KNOB<BOOL> KnobText(KNOB_MODE_WRITEONCE, "pintool", "text", "0", "the instruction's text, too");
static KNOB<BOOL> KnobMain(KNOB_MODE_WRITEONCE, "pintool", "main", "0", "only the main executable");
static KNOB<UINT64> KnobLimit(KNOB_MODE_WRITEONCE, "pintool", "limit", "0", "no more than this many lines (0: all)");

static UINT64 lines;

static ADDRINT Wanted(UINT64 limit) { return __atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) < limit; }
static ADDRINT WantedInRegion(UINT64 limit, THREADID tid) { return region_is_inside(tid) && Wanted(limit); }
static VOID Print(THREADID tid, ADDRINT pc) { fprintf(out, "%u %lx\n", tid, pc); }
static VOID PrintText(THREADID tid, ADDRINT pc, const char *text) { fprintf(out, "%u %lx  %s\n", tid, pc, text); }

static VOID Instruction(INS ins, VOID *)
{
    if (KnobMain) {
        IMG img = IMG_FindByAddress(INS_Address(ins));
        if (!IMG_Valid(img) || !IMG_IsMainExecutable(img))
            return;
    }
    UINT64 limit = KnobLimit.Value() ? KnobLimit.Value() : ~UINT64(0);
    INS_InsertIfCall(ins, IPOINT_BEFORE, region_asked ? AFUNPTR(WantedInRegion) : AFUNPTR(Wanted), IARG_UINT64, limit, IARG_THREAD_ID, IARG_END);
    if (KnobText)
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(PrintText), IARG_THREAD_ID, IARG_INST_PTR, IARG_PTR, strdup(INS_Disassemble(ins).c_str()), IARG_END);
    else
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Print), IARG_THREAD_ID, IARG_INST_PTR, IARG_END);
}

static VOID Fini(INT32, VOID *) { fflush(out); }

int main(int argc, char **argv)
{
    tool_start(argc, argv, "itrace: every instruction that was executed");
    region_start();
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// itrace: every instruction that was executed, in order: thread, address, and on request its text; or all of that as Parquet (-format parquet).
#include "lib/trace.h"

static KNOB<BOOL> KnobText(KNOB_MODE_WRITEONCE, "pintool", "text", "0", "the instruction's text, too");
static KNOB<UINT64> KnobLimit(KNOB_MODE_WRITEONCE, "pintool", "limit", "0", "no more than this many instructions (0: all)");
static KNOB<std::string> KnobTrace(KNOB_MODE_WRITEONCE, "pintool", "trace", "itrace.%p.parquet", "with -format parquet: file for the trace, %p is the process number");
static KNOB<INT32> KnobLevel(KNOB_MODE_WRITEONCE, "pintool", "level", "1", "with -format parquet: how hard zstd tries");
static KNOB<UINT32> KnobPages(KNOB_MODE_WRITEONCE, "pintool", "pages", "512", "with -format parquet: pages of the buffer of each thread; a full one is a row group");

static UINT64 lines;
static BOOL is_parquet;
static BUFFER_ID buffer;

static ADDRINT Wanted(UINT64 limit, THREADID) { return __atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) < limit; }
static ADDRINT WantedInRegion(UINT64 limit, THREADID tid) { return region_is_inside(tid) && Wanted(limit, tid); }
static VOID Print(THREADID tid, ADDRINT pc) { fprintf(out, "%u %lx\n", tid, pc); }
static VOID PrintText(THREADID tid, ADDRINT pc, const char *text) { fprintf(out, "%u %lx  %s\n", tid, pc, text); }

// With neither limit nor region there is no condition, which is faster.
static BOOL IsConditional() { return !is_parquet || KnobLimit.Value() || region_asked; }

static VOID InsertThen(INS ins)
{
    if (is_parquet)
        INS_InsertFillBufferThen(ins, IPOINT_BEFORE, buffer, IARG_UINT32, trace_op(ins, 0, FALSE), ADDRINT(0), IARG_END);
    else if (KnobText)
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(PrintText), IARG_THREAD_ID, IARG_INST_PTR, IARG_PTR, strdup(INS_Disassemble(ins).c_str()), IARG_END);
    else
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Print), IARG_THREAD_ID, IARG_INST_PTR, IARG_END);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!where_wanted(INS_Address(ins)))
        return;
    UINT64 limit = KnobLimit.Value() ? KnobLimit.Value() : ~UINT64(0);
    if (!IsConditional()) {
        INS_InsertFillBuffer(ins, IPOINT_BEFORE, buffer, IARG_UINT32, trace_op(ins, 0, FALSE), ADDRINT(0), IARG_END);
        return;
    }
    INS_InsertIfCall(ins, IPOINT_BEFORE, region_asked ? AFUNPTR(WantedInRegion) : AFUNPTR(Wanted), IARG_UINT64, limit, IARG_THREAD_ID, IARG_END);
    InsertThen(ins);
}

static VOID AddNothing(const VOID *, const TraceOp &, ParquetValues *) {}

static VOID Results(const lp_results_info *info)
{
    Result result;
    trace_end();
    where_begin(&result, info);
    result.metrics = {{"instructions", "count", "instructions in the trace"}, {"file-bytes", "bytes", "size of the trace"}};
    result.totals = {trace_rows(), trace_bytes()};
    where_write(&result);
}

static VOID Fini(INT32, VOID *) { fflush(out); }

// The child of a fork begins with nothing.
static VOID InChild()
{
    lines = 0;
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by top", "a trace has every instruction, in their order"}, {"stack", "the trace itself has every call"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"itrace", "every instruction that was executed", "", "20", "parquet"});
    is_parquet = KnobFormat.Value() == "parquet";
    if (!is_parquet && KnobFormat.Value() != "text") {
        fprintf(stderr, "E: itrace: -format %s means nothing here: the trace is lines of text, or Parquet\n", KnobFormat.Value().c_str());
        return 1;
    }
    INS_AddInstrumentFunction(Instruction, 0);
    if (is_parquet) {
        buffer = trace_parquet(TraceColumns{sizeof(UINT32), 0, {}, AddNothing}, KnobTrace, KnobLevel, KnobPages);
        tool_results(Results, NULL);
    } else
        tool_fini(Fini, TRUE, InChild);
    PIN_StartProgram();
}

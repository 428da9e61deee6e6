// SPDX-License-Identifier: Apache-2.0
// memtrace: every access to memory, as pinatrace has it, in a file: compressed with zstd for linchpin-memtrace, or Parquet (-format parquet). Accesses are collected in a buffer of
// each thread, which the engine fills without a call; a full one is compressed at once.
#include "memtrace.h"
#include "lib/trace.h"

#include <cstddef>
#include <zstd.h>

static KNOB<std::string> KnobTrace(KNOB_MODE_WRITEONCE, "pintool", "trace", "", "file for the trace, %p is the process number (default: memtrace.%p.zst, which linchpin-memtrace prints, or .parquet)");
static KNOB<INT32> KnobLevel(KNOB_MODE_WRITEONCE, "pintool", "level", "1", "how hard zstd tries");
static KNOB<UINT32> KnobPages(KNOB_MODE_WRITEONCE, "pintool", "pages", "512", "pages of the buffer of each thread; a full one is a row group of the Parquet file");

static BUFFER_ID buffer;
static UINT64 records;

static VOID CountRecords(UINT64 n) { tool_add(&records, n); }
static std::string PathOr(const char *path) { return KnobTrace.Value().empty() ? path : KnobTrace.Value(); }

// --- the file of linchpin-memtrace --------------------------------------------------------------------------------------

static FILE *trace; // trace_lock
static ZSTD_CCtx *compressor;
static UINT64 written_bytes;

static VOID Compress(const VOID *data, size_t bytes, ZSTD_EndDirective mode)
{
    static char packed[1 << 17];
    ZSTD_inBuffer in = {data, bytes, 0};
    size_t left;
    do {
        ZSTD_outBuffer to = {packed, sizeof packed, 0};
        left = ZSTD_compressStream2(compressor, &to, &in, mode);
        if (ZSTD_isError(left)) {
            fprintf(stderr, "E: memtrace: %s: %s\n", KnobTrace.Value().c_str(), ZSTD_getErrorName(left));
            PIN_ExitProcess(1);
        }
        fwrite(packed, 1, to.pos, trace);
        written_bytes += to.pos;
    } while (in.pos < in.size || (mode == ZSTD_e_end && left));
}

static VOID Open()
{
    if (trace)
        return;
    trace = tool_open(PathOr("memtrace.%p.zst"));
    Compress(MEMTRACE_MAGIC, 8, ZSTD_e_continue);
}

static VOID WriteRecords(THREADID, const VOID *data, UINT64 n)
{
    Locked locked(&trace_lock);
    Open();
    CountRecords(n);
    Compress(data, n * sizeof(MemtraceRecord), ZSTD_e_continue);
}

// Ends a frame; what comes later is in another.
static VOID EndFrame()
{
    Locked locked(&trace_lock);
    Open();
    Compress(NULL, 0, ZSTD_e_end);
    fflush(trace);
}

static VOID BeforeFork()
{
    if (trace)
        fflush(trace);
}

static VOID InChild()
{
    if (trace)
        fclose(trace);
    trace = NULL;
    records = written_bytes = 0;
    ZSTD_CCtx_reset(compressor, ZSTD_reset_session_only);
}

static BUFFER_ID StartFile()
{
    compressor = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, KnobLevel);
    BUFFER_ID id = trace_start(TraceFile{sizeof(MemtraceRecord), WriteRecords, EndFrame, BeforeFork, InChild}, KnobPages);
    Open();
    return id;
}

// --- Parquet ------------------------------------------------------------------------------------------------------------

struct Access {
    ADDRINT address;
    UINT32 op, unused;
};

static VOID AddAccess(const VOID *record, const TraceOp &op, ParquetValues *more)
{
    more[0].numbers.push_back(static_cast<const Access *>(record)->address);
    more[1].numbers.push_back(op.bytes);
    more[2].numbers.push_back(op.write);
}

static BUFFER_ID StartParquet()
{
    TraceColumns columns = {sizeof(Access), offsetof(Access, op), {{"address", PARQUET_U64, false, false}, {"bytes", PARQUET_U32, false, false}, {"write", PARQUET_BOOL, false, false}}, AddAccess};
    return trace_parquet(columns, PathOr("memtrace.%p.parquet"), KnobLevel, KnobPages);
}

// --- instrumentation ----------------------------------------------------------------------------------------------------

static BOOL is_parquet;

#define FILL(Kind)                                                                                                                                                                       \
    INS_InsertFillBuffer##Kind(ins, IPOINT_BEFORE, buffer, IARG_INST_PTR, offsetof(MemtraceRecord, pc), IARG_MEMORYOP_EA, i, offsetof(MemtraceRecord, address), IARG_MEMORYOP_SIZE, i,    \
        offsetof(MemtraceRecord, bytes), IARG_THREAD_ID, offsetof(MemtraceRecord, thread), IARG_UINT64, UINT64(write), offsetof(MemtraceRecord, write), IARG_END)
#define FILL_OP(Kind)                                                                                                                                                                    \
    INS_InsertFillBuffer##Kind(ins, IPOINT_BEFORE, buffer, IARG_MEMORYOP_EA, i, offsetof(Access, address), IARG_UINT32, op, offsetof(Access, op), IARG_END)

static VOID Operand(INS ins, UINT32 i, int write)
{
    UINT32 op = is_parquet ? trace_op(ins, UINT32(INS_MemoryOperandSize(ins, i)), write) : 0;
    if (region_asked) {
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(region_is_inside), IARG_FAST_ANALYSIS_CALL, IARG_THREAD_ID, IARG_END);
        if (is_parquet)
            FILL_OP(Then);
        else
            FILL(Then);
    } else if (is_parquet)
        FILL_OP(Predicated);
    else
        FILL(Predicated);
}

// Predicated: an instruction whose condition is false (rep with a count of zero) accesses nothing.
static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsStandardMemop(ins) || !where_wanted(INS_Address(ins)))
        return; // gather, scatter, xsave: no single address and size
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        for (int write = 0; write < 2; write++)
            if (write ? INS_MemoryOperandIsWritten(ins, i) : INS_MemoryOperandIsRead(ins, i))
                Operand(ins, i, write);
}

static VOID Results(const lp_results_info *info)
{
    Result result;
    trace_end();
    UINT64 bytes = is_parquet ? trace_bytes() : written_bytes, n = is_parquet ? trace_rows() : records;
    char each[64];
    where_begin(&result, info);
    snprintf(each, sizeof each, "compressed: %.3f bytes for each access", n ? double(bytes) / double(n) : 0);
    result.notes.push_back(each);
    result.metrics = {{"accesses", "count", "accesses to memory"}, {"file-bytes", "bytes", "size of the trace"}};
    result.totals = {n, bytes};
    where_write(&result);
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by", "a trace has every access; -format parquet is to be asked by DuckDB and others"}, {"stack", "the trace has the instruction of each access; itrace has the calls"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"memtrace", "every access to memory, compressed", "", "20", "parquet"});
    if (KnobLevel < ZSTD_minCLevel() || KnobLevel > ZSTD_maxCLevel()) {
        fprintf(stderr, "E: memtrace: -level %d: zstd knows %d to %d\n", KnobLevel.Value(), ZSTD_minCLevel(), ZSTD_maxCLevel());
        return 1;
    }
    is_parquet = KnobFormat.Value() == "parquet";
    buffer = is_parquet ? StartParquet() : StartFile();
    INS_AddInstrumentFunction(Instruction, 0);
    tool_results(Results, NULL);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// memtrace: every access to memory, as pinatrace has it, in a file compressed with zstd. Accesses are collected in a buffer of each thread, which the engine fills without a call; a full one is compressed at once.
#include "memtrace.h"
#include "region.h"

#include <cstddef>
#include <zstd.h>

static KNOB<std::string> KnobTrace(KNOB_MODE_WRITEONCE, "pintool", "trace", "memtrace.%p.zst", "file for the trace, %p is the process number; linchpin-memtrace prints it");
static KNOB<INT32> KnobLevel(KNOB_MODE_WRITEONCE, "pintool", "level", "1", "how hard zstd tries");
static KNOB<UINT32> KnobPages(KNOB_MODE_WRITEONCE, "pintool", "pages", "256", "pages of the buffer of each thread");

static BUFFER_ID buffer;
static FILE *trace;
static ZSTD_CCtx *compressor;
static UINT64 records, written_bytes;
static PIN_LOCK lock; // of all of these

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

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *data, UINT64 n, VOID *)
{
    Locked locked(&lock);
    records += n;
    Compress(data, n * sizeof(MemtraceRecord), ZSTD_e_continue);
    return data;
}

#define FILL(Kind)                                                                                                                                                                       \
    INS_InsertFillBuffer##Kind(ins, IPOINT_BEFORE, buffer, IARG_INST_PTR, offsetof(MemtraceRecord, pc), IARG_MEMORYOP_EA, i, offsetof(MemtraceRecord, address), IARG_MEMORYOP_SIZE, i,    \
        offsetof(MemtraceRecord, bytes), IARG_THREAD_ID, offsetof(MemtraceRecord, thread), IARG_UINT64, UINT64(write), offsetof(MemtraceRecord, write), IARG_END)

// Predicated: an instruction whose condition is false (rep with a count of zero) accesses nothing.
static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsStandardMemop(ins))
        return; // gather, scatter, xsave: no single address and size
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        for (int write = 0; write < 2; write++) {
            if (write ? !INS_MemoryOperandIsWritten(ins, i) : !INS_MemoryOperandIsRead(ins, i))
                continue;
            if (region_asked) {
                INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(region_is_inside), IARG_FAST_ANALYSIS_CALL, IARG_THREAD_ID, IARG_END);
                FILL(Then);
            } else
                FILL(Predicated);
        }
}

static VOID Fini(INT32, VOID *)
{
    Compress(NULL, 0, ZSTD_e_end);
    fclose(trace);
    fprintf(out, "accesses: %lu, %lu bytes compressed (%.3f for each)\n", records, written_bytes, records ? double(written_bytes) / double(records) : 0);
    fflush(out);
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "memtrace: every access to memory, compressed");
    region_start();
    PIN_InitLock(&lock);
    trace = tool_open(KnobTrace);
    compressor = ZSTD_createCCtx();
    if (KnobLevel < ZSTD_minCLevel() || KnobLevel > ZSTD_maxCLevel() || ZSTD_isError(ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, KnobLevel))) {
        fprintf(stderr, "E: memtrace: -level %d: zstd knows %d to %d\n", KnobLevel.Value(), ZSTD_minCLevel(), ZSTD_maxCLevel());
        return 1;
    }
    buffer = PIN_DefineTraceBuffer(sizeof(MemtraceRecord), KnobPages, Full, 0);
    if (buffer == BUFFER_ID_INVALID) {
        fprintf(stderr, "E: memtrace: -pages %u: no buffer\n", KnobPages.Value());
        return 1;
    }
    Compress(MEMTRACE_MAGIC, 8, ZSTD_e_continue);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

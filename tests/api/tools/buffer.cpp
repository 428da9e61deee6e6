/* SPDX-License-Identifier: Apache-2.0
 * Trace buffers: every access of guest buffer as a record, checked in order when a buffer is full and at the end. Rule A56. */
#include "golden.h"

#include <cstddef>

struct Record {
    ADDRINT pc, ea;
    UINT32 size;
    THREADID thread;
    BOOL read;
};
static_assert(sizeof(Record) == 32, "");
static const UINT64 PAGE_RECORDS = 4096 / sizeof(Record);

static BUFFER_ID id;
static UINT64 records, buffers, early, stores;
static ADDRINT last;

static void Check(const Record &r)
{
    ADDRINT data = at("at_data"), store = at("at_store"), load = at("at_load"), move = at("at_move");
    bool ok = r.thread == 0 && ((r.pc == store && r.ea == data && r.size == 8 && !r.read) || (r.pc == load && r.ea == data + 8 && r.size == 4 && r.read) || (r.pc == move && r.ea == data + 16 && r.size == 8 && r.read));
    if (!option("then") && !option("block"))
        ok = ok && (r.pc == store ? last != store : r.pc == load ? last == store : last == load);
    if (!ok)
        std::printf("record %lu: pc 0x%lx ea 0x%lx size %u thread %u read %d\n", records, r.pc, r.ea, r.size, r.thread, r.read);
    last = r.pc;
    records++;
}

static VOID *Full(BUFFER_ID which, THREADID thread, const CONTEXT *context, VOID *buffer, UINT64 n, VOID *arg)
{
    const Record *r = static_cast<Record *>(buffer);
    if (which != id || thread != 0 || !PIN_GetContextReg(context, REG_RIP) || arg != &records)
        std::printf("wrong arguments\n");
    for (UINT64 i = 0; i < n; i++)
        Check(r[i]);
    buffers++;
    early += n < PAGE_RECORDS * 7 / 8; // the last one
    if (buffers % 2)
        return buffer;
    PIN_DeallocateBuffer(id, buffer);
    return PIN_AllocateBuffer(id);
}

static ADDRINT EveryTenth() { return ++stores % 10 == 0; }

#define FIELDS(ea_kind, ea_size, is_read)                                                                                                                          \
    IARG_INST_PTR, offsetof(Record, pc), ea_kind, offsetof(Record, ea), IARG_UINT32, ea_size, offsetof(Record, size), IARG_THREAD_ID, offsetof(Record, thread), IARG_BOOL, is_read, \
        offsetof(Record, read), IARG_END

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_store") && option("then")) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(EveryTenth), IARG_END);
        INS_InsertFillBufferThen(ins, IPOINT_BEFORE, id, FIELDS(IARG_MEMORYWRITE_EA, 8, FALSE));
    } else if (option("then")) {
        return;
    } else if (is_at(ins, "at_store")) {
        INS_InsertFillBuffer(ins, IPOINT_BEFORE, id, FIELDS(IARG_MEMORYWRITE_EA, 8, FALSE));
    } else if (is_at(ins, "at_load")) {
        INS_InsertFillBuffer(ins, IPOINT_BEFORE, id, FIELDS(IARG_MEMORYREAD_EA, 4, TRUE));
    } else if (is_at(ins, "at_move") && option("predicated")) {
        INS_InsertFillBufferPredicated(ins, IPOINT_BEFORE, id, FIELDS(IARG_MEMORYREAD_EA, 8, TRUE));
    }
}

/* A record for each execution of the block that has the store. */
static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins))
            if (is_at(ins, "at_store"))
                BBL_InsertFillBuffer(bbl, IPOINT_BEFORE, id, IARG_ADDRINT, at("at_store"), offsetof(Record, pc), IARG_ADDRINT, at("at_data"), offsetof(Record, ea), IARG_UINT32, 8, offsetof(Record, size),
                                     IARG_THREAD_ID, offsetof(Record, thread), IARG_BOOL, FALSE, offsetof(Record, read), IARG_END);
}

static VOID Start(THREADID, CONTEXT *context, INT32, VOID *)
{
    if (!PIN_GetBufferPointer(context, id))
        std::printf("no buffer\n");
    if (PIN_GetContextReg(context, REG_BUF_BASE0) != ADDRINT(PIN_GetBufferPointer(context, id)) || PIN_GetContextReg(context, REG(REG_BUF_BASE0 + 1)))
        std::printf("another buffer in the context\n");
}

static VOID Fini(INT32, VOID *) { std::printf("%lu records, %lu buffers not full\n", records, early); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    id = PIN_DefineTraceBuffer(sizeof(Record), 1, Full, &records);
    if (id == BUFFER_ID_INVALID)
        return 1;
    VOID *buffer = PIN_AllocateBuffer(id);
    PIN_DeallocateBuffer(id, buffer);
    VOID *again = PIN_AllocateBuffer(id); /* what is given back is used again */
    if (again != buffer)
        std::printf("not the same buffer\n");
    PIN_DeallocateBuffer(id, again);
    if (option("block"))
        TRACE_AddInstrumentFunction(Trace, 0);
    else
        INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

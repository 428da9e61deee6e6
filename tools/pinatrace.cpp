// SPDX-License-Identifier: Apache-2.0
// pinatrace: every access to memory, in order: the instruction, R or W, the address and the number of bytes.
#include "lib/where.h"
#include "region.h"

static KNOB<BOOL> KnobCount(KNOB_MODE_WRITEONCE, "pintool", "count", "0", "only the numbers of accesses and bytes at the end");

static UINT64 reads, read_bytes, writes, written_bytes;

static VOID CountRead(UINT32 bytes)
{
    tool_add(&reads, 1);
    tool_add(&read_bytes, bytes);
}

static VOID CountWrite(UINT32 bytes)
{
    tool_add(&writes, 1);
    tool_add(&written_bytes, bytes);
}

static VOID Read(ADDRINT pc, ADDRINT address, UINT32 bytes)
{
    CountRead(bytes);
    fprintf(out, "%lx R %lx %u\n", pc, address, bytes);
}

static VOID Write(ADDRINT pc, ADDRINT address, UINT32 bytes)
{
    CountWrite(bytes);
    fprintf(out, "%lx W %lx %u\n", pc, address, bytes);
}

// Predicated: an instruction whose condition is false (rep with a count of zero) accesses nothing.
static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsStandardMemop(ins) || !where_wanted(INS_Address(ins)))
        return; // gather, scatter, xsave: no single address and size
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        for (int write = 0; write < 2; write++) {
            if (write ? !INS_MemoryOperandIsWritten(ins, i) : !INS_MemoryOperandIsRead(ins, i))
                continue;
            if (KnobCount)
                REGION_PREDICATED_CALL(ins, write ? AFUNPTR(CountWrite) : AFUNPTR(CountRead), IARG_MEMORYOP_SIZE, i, IARG_END);
            else
                REGION_PREDICATED_CALL(ins, write ? AFUNPTR(Write) : AFUNPTR(Read), IARG_INST_PTR, IARG_MEMORYOP_EA, i, IARG_MEMORYOP_SIZE, i, IARG_END);
        }
}

static VOID Fini(INT32, VOID *)
{
    fprintf(out, "reads: %lu (%lu bytes)\nwrites: %lu (%lu bytes)\n", reads, read_bytes, writes, written_bytes);
    fflush(out);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    reads = read_bytes = writes = written_bytes = 0;
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by format top stack", "accesses are written as they come; memtrace -format parquet has tables of them"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"pinatrace", "every access to memory", "", "0", ""});
    INS_AddInstrumentFunction(Instruction, 0);
    tool_fini(Fini, TRUE, InChild);
    PIN_StartProgram();
}

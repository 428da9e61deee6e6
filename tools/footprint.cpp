// SPDX-License-Identifier: Apache-2.0
// footprint: how much memory the program touches: distinct cache lines and pages of code and data.
#include "memory.h"

#include <map>
#include <vector>

enum Use { READ, WRITE, EXECUTE, USES };
static const ADDRINT LINE = 64, PAGE = 4096;

struct Lines {
    UINT64 used[USES]; // a bit for each line of the page
};
static std::map<ADDRINT, Lines> pages;
static PIN_LOCK lock;

static VOID Mark(ADDRINT address, ADDRINT bytes, Use use)
{
    Locked locked(&lock);
    for (ADDRINT line = address / LINE; line <= (address + bytes - 1) / LINE; line++)
        pages[line * LINE / PAGE].used[use] |= UINT64(1) << line % (PAGE / LINE);
}

// Lines that were marked lately, for each thread and kind of access: most accesses are to one of them and need no more.
static const UINT32 RECENT = 256;
static ADDRINT recent[PIN_MAX_THREADS][2][RECENT];

static ADDRINT IsNewData(THREADID tid, ADDRINT address, UINT32 bytes, UINT32 write)
{
    ADDRINT first = address / LINE, last = (address + bytes - 1) / LINE;
    return recent[tid][write][first % RECENT] != first || first != last;
}

static VOID Data(THREADID tid, ADDRINT address, UINT32 bytes, UINT32 write)
{
    recent[tid][write][address / LINE % RECENT] = address / LINE;
    Mark(address, bytes, write ? WRITE : READ);
}

struct Code {
    ADDRINT address, bytes;
    UINT64 done;
};
static std::vector<Code *> codes;

// The first execution of a block marks its lines.
static ADDRINT IsNew(Code *code, THREADID) { return !code->done; }
static ADDRINT IsNewInRegion(Code *code, THREADID tid) { return region_is_inside(tid) && !code->done; }
static VOID Execute(Code *code)
{
    code->done = 1;
    Mark(code->address, code->bytes, EXECUTE);
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        for (INS ins = region_piece(bbl); INS_Valid(ins); ins = region_next_piece(ins)) {
            Code *code = new Code();
            codes.push_back(code);
            code->address = INS_Address(ins);
            code->bytes = region_asked ? INS_Size(ins) : BBL_Size(bbl);
            INS_InsertIfCall(ins, IPOINT_BEFORE, region_asked ? AFUNPTR(IsNewInRegion) : AFUNPTR(IsNew), IARG_PTR, code, IARG_THREAD_ID, IARG_END);
            INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Execute), IARG_PTR, code, IARG_END);
        }
}

static VOID Row(const char *name, UINT32 uses)
{
    UINT64 lines = 0, touched = 0;
    for (std::map<ADDRINT, Lines>::iterator i = pages.begin(); i != pages.end(); ++i) {
        UINT64 all = 0;
        for (UINT32 u = 0; u < USES; u++)
            all |= uses >> u & 1 ? i->second.used[u] : 0;
        lines += __builtin_popcountl(all);
        touched += all != 0;
    }
    fprintf(out, "%-14s %10lu lines %10lu KiB %8lu pages %10lu KiB\n", name, lines, lines * LINE / 1024, touched, touched * PAGE / 1024);
}

static VOID Fini(INT32, VOID *)
{
    Row("executed", 1 << EXECUTE);
    Row("read", 1 << READ);
    Row("written", 1 << WRITE);
    Row("data", 1 << READ | 1 << WRITE);
    Row("all", 1 << EXECUTE | 1 << READ | 1 << WRITE);
    fflush(out);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    pages.clear();
    memset(recent, 0, sizeof recent);
    for (Code *code : codes)
        code->done = 0;
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "footprint: how much memory the program touches (an operand that is read and written counts as written)");
    region_start();
    tool_init_lock(&lock);
    memory_watch(AFUNPTR(IsNewData), AFUNPTR(Data));
    TRACE_AddInstrumentFunction(Trace, 0);
    tool_fini(Fini, FALSE, InChild);
    PIN_StartProgram();
}

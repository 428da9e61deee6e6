// SPDX-License-Identifier: Apache-2.0
// proccount: for each routine how often it was entered and how many instructions ran in it.
#include "region.h"

#include <algorithm>
#include <map>
#include <vector>

static KNOB<UINT32> KnobTop(KNOB_MODE_WRITEONCE, "pintool", "top", "20", "print this many routines (0: all)");
static KNOB<BOOL> KnobCalls(KNOB_MODE_WRITEONCE, "pintool", "calls", "0", "sorted by calls instead of instructions");

struct Routine {
    std::string name; // kept here: the image may be gone at the end
    UINT64 calls, instructions;
};
typedef std::map<std::string, Routine> Routines;
static Routines routines;

static VOID Block(UINT64 *instructions, UINT32 n) { tool_add(instructions, n); }

static Routine *Find(ADDRINT address)
{
    RTN rtn = RTN_FindByAddress(address);
    IMG img = IMG_FindByAddress(address);
    std::string name = RTN_Valid(rtn) ? tool_name_of(address) : IMG_Valid(img) ? tool_base_name(IMG_Name(img)) + ":?" : std::string("?");
    Routine *r = &routines[name];
    r->name = name;
    return r;
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        for (INS ins = region_piece(bbl); INS_Valid(ins); ins = region_next_piece(ins))
            REGION_CALL(ins, AFUNPTR(Block), IARG_PTR, &Find(BBL_Address(bbl))->instructions, IARG_UINT32, region_piece_size(bbl), IARG_END);
}

static VOID EnterAnywhere(UINT64 *calls, THREADID) { tool_add(calls, 1); }
static VOID EnterInRegion(UINT64 *calls, THREADID tid) { tool_add(calls, region_is_inside(tid)); }

static VOID Enter(RTN rtn, VOID *)
{
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, region_asked ? AFUNPTR(EnterInRegion) : AFUNPTR(EnterAnywhere), IARG_PTR, &Find(RTN_Address(rtn))->calls, IARG_THREAD_ID, IARG_END);
    RTN_Close(rtn);
}

static bool More(const Routine *a, const Routine *b)
{
    return KnobCalls ? a->calls > b->calls : a->instructions > b->instructions;
}

static VOID Fini(INT32, VOID *)
{
    std::vector<const Routine *> rows;
    UINT64 total = 0;
    for (Routines::iterator i = routines.begin(); i != routines.end(); ++i)
        if (i->second.instructions || i->second.calls) {
            rows.push_back(&i->second);
            total += i->second.instructions;
        }
    std::stable_sort(rows.begin(), rows.end(), More);
    fprintf(out, "%15s %8s %12s  %s\n", "instructions", "", "calls", "routine");
    for (size_t i = 0; i < rows.size() && (!KnobTop.Value() || i < KnobTop.Value()); i++)
        fprintf(out, "%15lu %7.2f%% %12lu  %s\n", rows[i]->instructions, tool_percent(rows[i]->instructions, total), rows[i]->calls, rows[i]->name.c_str());
    fprintf(out, "%15lu %7.2f%% %12s  %lu routines\n", total, 100.0, "", rows.size());
    fflush(out);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    for (auto &i : routines)
        i.second.instructions = i.second.calls = 0;
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    tool_start(argc, argv, "proccount: calls and instructions of each routine");
    region_start();
    TRACE_AddInstrumentFunction(Trace, 0);
    RTN_AddInstrumentFunction(Enter, 0);
    tool_fini(Fini, FALSE, InChild);
    PIN_StartProgram();
}

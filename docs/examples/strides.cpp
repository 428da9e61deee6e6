// SPDX-License-Identifier: Apache-2.0
// Your second tool (docs/tutorial.md): how far apart are two accesses of one instruction? Prints the instructions with the most accesses, and the distance that was most frequent.
#include "pin.H"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

static KNOB<UINT32> KnobTop(KNOB_MODE_WRITEONCE, "pintool", "top", "5", "how many instructions to print");

struct Place {
    ADDRINT pc;
    ADDRINT last;
    UINT64 accesses;
    std::map<INT64, UINT64> strides;
};
static std::map<ADDRINT, Place *> places;

// Analysis: runs at every access.
static VOID Access(Place *place, ADDRINT address)
{
    if (place->accesses++)
        place->strides[(INT64)(address - place->last)]++;
    place->last = address;
}

// Instrumentation: runs once for each instruction, when it is translated.
static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsMemoryRead(ins) || !INS_IsStandardMemop(ins) || !IMG_IsMainExecutable(IMG_FindByAddress(INS_Address(ins))))
        return;
    Place *&place = places[INS_Address(ins)];
    if (!place) {
        place = new Place();
        place->pc = INS_Address(ins);
    }
    INS_InsertPredicatedCall(ins, IPOINT_BEFORE, Access, IARG_PTR, place, IARG_MEMORYREAD_EA, IARG_END);
}

static bool More(const Place *a, const Place *b) { return a->accesses > b->accesses; }

static VOID Fini(INT32, VOID *)
{
    std::vector<Place *> list;
    for (const auto &p : places)
        list.push_back(p.second);
    std::sort(list.begin(), list.end(), More);
    for (size_t i = 0; i < list.size() && i < KnobTop; i++) {
        INT64 stride = 0;
        UINT64 most = 0;
        for (const auto &s : list[i]->strides)
            if (s.second > most)
                stride = s.first, most = s.second;
        std::string file;
        INT32 line = 0;
        PIN_GetSourceLocation(list[i]->pc, NULL, &line, &file);
        fprintf(stderr, "%10lu accesses, mostly %5ld bytes apart: %s:%d\n", list[i]->accesses, stride, file.substr(file.rfind('/') + 1).c_str(), line);
    }
}

int main(int argc, char *argv[])
{
    PIN_InitSymbols(); // for lines and names
    if (PIN_Init(argc, argv)) {
        fputs(KNOB_BASE::StringKnobSummary().c_str(), stderr);
        return 1;
    }
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram(); // does not return
}

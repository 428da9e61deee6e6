// SPDX-License-Identifier: Apache-2.0
// coverage: which code was executed. A summary by image; with -drcov a file with all blocks that coverage viewers (Lighthouse and others) read; with -routines the routines.
#include "region.h"

#include <map>
#include <set>
#include <vector>

static KNOB<std::string> KnobDrcov(KNOB_MODE_WRITEONCE, "pintool", "drcov", "", "write executed blocks in drcov format, version 2, to this file");
static KNOB<BOOL> KnobRoutines(KNOB_MODE_WRITEONCE, "pintool", "routines", "0", "list the executed routines");

struct Module {
    std::string path;
    ADDRINT low, high, entry;
};
struct Block {
    ADDRINT address;
    UINT32 bytes, instructions, module, executed;
    std::string routine;
};
static const UINT32 NO_MODULE = ~0u;
static std::vector<Module> modules;
static std::map<ADDRINT, Block> blocks; // an entry never moves

static VOID Image(IMG img, VOID *)
{
    Module m = {IMG_Name(img), IMG_LowAddress(img), IMG_HighAddress(img) + 1, IMG_EntryAddress(img)};
    modules.push_back(m);
}

// The newest first: its image may be where another was.
static UINT32 ModuleOf(ADDRINT address)
{
    for (UINT32 i = UINT32(modules.size()); i-- > 0;)
        if (address >= modules[i].low && address < modules[i].high)
            return i;
    return NO_MODULE;
}

static VOID Executed(UINT32 *flag) { *flag = 1; }

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        Block *b = &blocks[BBL_Address(bbl)];
        if (!b->bytes) {
            b->address = BBL_Address(bbl);
            b->module = ModuleOf(b->address);
            RTN rtn = KnobRoutines ? RTN_FindByAddress(b->address) : RTN_Invalid();
            b->routine = RTN_Valid(rtn) ? RTN_Name(rtn) : "";
        }
        if (b->bytes < BBL_Size(bbl)) {
            b->bytes = UINT32(BBL_Size(bbl));
            b->instructions = BBL_NumIns(bbl);
        }
        for (INS ins = region_piece(bbl); INS_Valid(ins); ins = region_next_piece(ins))
            REGION_CALL(ins, AFUNPTR(Executed), IARG_PTR, &b->executed, IARG_END);
    }
}

typedef std::map<ADDRINT, Block>::iterator BlockIterator;

static VOID Summary()
{
    std::map<UINT32, std::vector<UINT64> > sums; // by module: blocks, bytes
    std::map<UINT32, std::set<std::string> > routines;
    std::map<UINT32, ADDRINT> reached;
    for (BlockIterator i = blocks.begin(); i != blocks.end(); ++i) {
        const Block &b = i->second;
        if (!b.executed)
            continue;
        std::vector<UINT64> &s = sums[b.module];
        s.resize(2);
        ADDRINT &end = reached[b.module]; // blocks may overlap: bytes count once
        ADDRINT from = b.address > end ? b.address : end, to = b.address + b.bytes;
        s[0]++;
        if (to > from) {
            s[1] += to - from;
            end = to;
        }
        if (!b.routine.empty())
            routines[b.module].insert(b.routine);
    }
    fprintf(out, "%10s %10s  %s\n", "blocks", "bytes", "image");
    for (std::map<UINT32, std::vector<UINT64> >::iterator i = sums.begin(); i != sums.end(); ++i) {
        fprintf(out, "%10lu %10lu  %s\n", i->second[0], i->second[1], i->first == NO_MODULE ? "(no image)" : modules[i->first].path.c_str());
        for (std::set<std::string>::iterator r = routines[i->first].begin(); r != routines[i->first].end(); ++r)
            fprintf(out, "%23s %s\n", "", r->c_str());
    }
    fflush(out);
}

// Text, then an array of {u32 offset, u16 bytes, u16 module}, little endian.
static VOID Drcov(const std::string &path)
{
    FILE *f = tool_try_open(path);
    if (!f) {
        fprintf(stderr, "E: coverage: %s: %s\n", path.c_str(), strerror(errno));
        return;
    }
    struct {
        UINT32 offset;
        UINT16 bytes, module;
    } entry;
    std::vector<const Block *> list;
    for (BlockIterator i = blocks.begin(); i != blocks.end(); ++i)
        if (i->second.executed && i->second.module != NO_MODULE)
            list.push_back(&i->second);
    fprintf(f, "DRCOV VERSION: 2\nDRCOV FLAVOR: linchpin\nModule Table: version 2, count %lu\nColumns: id, base, end, entry, path\n", modules.size());
    for (size_t i = 0; i < modules.size(); i++)
        fprintf(f, "%3lu, 0x%016lx, 0x%016lx, 0x%016lx, %s\n", i, modules[i].low, modules[i].high, modules[i].entry, modules[i].path.c_str());
    fprintf(f, "BB Table: %lu bbs\n", list.size());
    for (size_t i = 0; i < list.size(); i++) {
        entry.offset = UINT32(list[i]->address - modules[list[i]->module].low);
        entry.bytes = UINT16(list[i]->bytes);
        entry.module = UINT16(list[i]->module);
        fwrite(&entry, sizeof entry, 1, f);
    }
    fclose(f);
}

static VOID Fini(INT32, VOID *)
{
    Summary();
    if (!KnobDrcov.Value().empty())
        Drcov(KnobDrcov);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    tool_start(argc, argv, "coverage: which code was executed");
    region_start();
    IMG_AddInstrumentFunction(Image, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

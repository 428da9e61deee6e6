// SPDX-License-Identifier: Apache-2.0
// coverage: which code was executed. A summary by image; with -routines the routines; all blocks as drcov, for Lighthouse and others; lines and routines with their counts as lcov.
#include "lib/blocks.h"

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
        if (!where_wanted(BBL_Address(bbl)))
            continue;
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

// Fills the result's table, and prints it as text with the routines.
static VOID Summary(Result *result)
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
    ResultTable table = {"images", "", {{"image", "text"}, {"blocks", "count"}, {"bytes", "bytes"}}, {}};
    result->totals.assign(2, 0);
    for (const auto &i : sums) {
        std::string name = i.first == NO_MODULE ? "(no image)" : modules[i.first].path;
        table.rows.push_back({name, i.second[0], i.second[1]});
        result->totals[0] += i.second[0];
        result->totals[1] += i.second[1];
    }
    result->tables.push_back(table);
    if (KnobFormat.Value() != "text")
        return;
    fprintf(out, "%10s %10s  %s\n", "blocks", "bytes", "image");
    for (const auto &i : sums) {
        fprintf(out, "%10lu %10lu  %s\n", i.second[0], i.second[1], i.first == NO_MODULE ? "(no image)" : modules[i.first].path.c_str());
        for (const std::string &name : routines[i.first])
            fprintf(out, "%23s %s\n", "", name.c_str());
    }
    fflush(out);
}

// --- drcov --------------------------------------------------------------------------------------------------------------

// Text, then an array of {u32 offset, u16 bytes, u16 module}, little endian.
static VOID Drcov(FILE *f)
{
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
    fflush(f);
}

static VOID DrcovFile(const std::string &path)
{
    FILE *f = tool_try_open(path);
    if (!f) {
        fprintf(stderr, "E: coverage: %s: %s\n", path.c_str(), strerror(errno));
        return;
    }
    Drcov(f);
    fclose(f);
}

// --- lcov ---------------------------------------------------------------------------------------------------------------

static std::vector<UINT32> all_code; // what is in the chosen images, executed or not

// Instructions without a source line are no lines of anything.
static VOID ReadCode(IMG img, VOID *)
{
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); rtn = RTN_Next(rtn)) {
            INT32 line = 0;
            PIN_GetSourceLocation(RTN_Address(rtn), NULL, &line, NULL);
            if (!line || !where_wanted(RTN_Address(rtn)))
                continue;
            RTN_Open(rtn);
            for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins))
                all_code.push_back(where_note(INS_Address(ins)));
            RTN_Close(rtn);
        }
}

// A line was executed as often as that of its instructions that was executed most; a routine as often as its first one.
static VOID AddLines(Result *result)
{
    std::unordered_map<UINT32, UINT64> executed;
    for (UINT32 id : all_code)
        executed[id] = 0;
    blocks_each([&](const WhereBlock *b, int, UINT64 n) {
        for (UINT32 id : b->ids)
            executed[id] += n;
    });
    for (const auto &i : executed) {
        const ResultPlace &p = where_place(i.first);
        if (p.file < 0 || !p.line)
            continue;
        UINT64 &line = result->lines[std::make_pair(p.file, p.line)];
        line = std::max(line, i.second);
        if (p.routine >= 0 && where_routine_address(p.routine) == p.address)
            result->entered[p.routine] += i.second;
    }
}

// --- results ------------------------------------------------------------------------------------------------------------

static VOID Results(const lp_results_info *info)
{
    Result result;
    where_begin(&result, info);
    result.metrics = {{"blocks", "count", "blocks executed"}, {"bytes", "bytes", "bytes of code executed"}};
    Summary(&result);
    if (!KnobDrcov.Value().empty())
        DrcovFile(KnobDrcov);
    if (KnobFormat.Value() == "drcov")
        Drcov(out);
    else if (KnobFormat.Value() == "lcov")
        AddLines(&result);
    if (KnobFormat.Value() != "drcov" && KnobFormat.Value() != "text")
        where_write(&result);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    blocks_reset();
    for (BlockIterator i = blocks.begin(); i != blocks.end(); ++i)
        i->second.executed = 0;
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by", "its rows are images; -routines 1 has routines, -format lcov lines"}, {"stack", "what was executed was executed, whoever called it"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"coverage", "which code was executed", "", "20", "lcov drcov"});
    IMG_AddInstrumentFunction(Image, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    if (KnobFormat.Value() == "lcov") {
        IMG_AddInstrumentFunction(ReadCode, 0);
        blocks_start();
    }
    tool_results(Results, InChild);
    PIN_StartProgram();
}

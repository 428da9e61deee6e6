/* SPDX-License-Identifier: Apache-2.0
 * Instruction mixes: how often instructions of each kind were executed, in the whole program or in each image, routine or block. A block is counted as a whole, so a kind costs
 * nothing at run time; a tool says only what the kinds of an instruction are. Exact unless a block is left in the middle by a signal. */
#ifndef MIX_H
#define MIX_H
#include "region.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

static KNOB<std::string> KnobBy(KNOB_MODE_WRITEONCE, "pintool", "by", "program", "a table for each: program, image, routine or block");
static KNOB<UINT32> KnobTop(KNOB_MODE_WRITEONCE, "pintool", "top", "0", "print only this many tables, of those that executed most (0: all)");

typedef std::map<std::string, UINT64> Mix;

/* Adds the kinds of one instruction. */
typedef VOID (*KindsOf)(INS ins, Mix &mix);

struct Block {
    UINT64 executed;
    Mix mix; /* of one execution */
    std::string group; /* kept as text: the image may be gone at the end */
};
static std::vector<Block *> blocks;

static std::string mix_group(ADDRINT address)
{
    char at[32];
    std::string by = KnobBy;
    if (by == "program")
        return "";
    if (by == "image") {
        IMG img = IMG_FindByAddress(address);
        return IMG_Valid(img) ? IMG_Name(img) : "(no image)";
    }
    snprintf(at, sizeof at, "0x%lx ", address);
    return (by == "block" ? at : "") + (RTN_Valid(RTN_FindByAddress(address)) ? tool_name_of(address) : std::string("(no routine)"));
}

static VOID mix_trace(TRACE trace, VOID *kinds_of)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        std::string group = mix_group(BBL_Address(bbl));
        for (INS piece = region_piece(bbl); INS_Valid(piece); piece = region_next_piece(piece)) {
            Block *b = new Block();
            for (INS ins = piece; INS_Valid(ins); ins = region_asked ? INS_Invalid() : INS_Next(ins))
                reinterpret_cast<KindsOf>(kinds_of)(ins, b->mix);
            b->group = group;
            blocks.push_back(b);
            REGION_CALL(piece, AFUNPTR(tool_count), IARG_PTR, &b->executed, IARG_END);
        }
    }
}

typedef std::pair<std::string, UINT64> Row;
static bool mix_more(const Row &a, const Row &b) { return a.second != b.second ? a.second > b.second : a.first < b.first; }

static VOID mix_table(Mix &mix)
{
    std::vector<Row> rows(mix.begin(), mix.end());
    std::sort(rows.begin(), rows.end(), mix_more);
    for (size_t i = 0; i < rows.size(); i++)
        if (rows[i].second)
            fprintf(out, "%-20s %15lu %7.3f%%\n", rows[i].first.c_str(), rows[i].second, tool_percent(rows[i].second, mix["*total"]));
}

static VOID mix_print(INT32, VOID *)
{
    std::map<std::string, Mix> sums;
    Mix totals;
    for (size_t i = 0; i < blocks.size(); i++)
        for (Mix::iterator k = blocks[i]->mix.begin(); blocks[i]->executed && k != blocks[i]->mix.end(); ++k) {
            sums[blocks[i]->group][k->first] += k->second * blocks[i]->executed;
            totals[blocks[i]->group] += k->first == "*total" ? k->second * blocks[i]->executed : 0;
        }
    std::vector<Row> groups(totals.begin(), totals.end());
    std::sort(groups.begin(), groups.end(), mix_more);
    for (size_t i = 0; i < groups.size() && (!KnobTop.Value() || i < KnobTop.Value()); i++) {
        if (!groups[i].first.empty())
            fprintf(out, "%s%s\n", i ? "\n" : "", groups[i].first.c_str());
        mix_table(sums[groups[i].first]);
    }
    fflush(out);
}

static inline int mix_run(int argc, char **argv, const char *what, KindsOf kinds_of)
{
    PIN_InitSymbols();
    tool_start(argc, argv, what);
    region_start();
    std::string by = KnobBy;
    if (by != "program" && by != "image" && by != "routine" && by != "block") {
        fprintf(stderr, "E: -by %s: not one of program, image, routine, block\n", by.c_str());
        return 1;
    }
    TRACE_AddInstrumentFunction(mix_trace, reinterpret_cast<VOID *>(kinds_of));
    tool_fini(mix_print, FALSE);
    PIN_StartProgram();
}

#endif

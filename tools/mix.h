/* SPDX-License-Identifier: Apache-2.0
 * Instruction mixes: how often instructions of each kind were executed. A block is counted as a whole, so a kind costs nothing at run time; a tool says only what the kinds
 * of an instruction are. Exact unless a block is left in the middle by a signal. */
#ifndef MIX_H
#define MIX_H
#include "tool.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

typedef std::map<std::string, UINT64> Mix;

/* Adds the kinds of one instruction. */
typedef VOID (*KindsOf)(INS ins, Mix &mix);

struct Block {
    UINT64 executed;
    Mix mix; /* of one execution */
};
static std::vector<Block *> blocks;

static VOID mix_trace(TRACE trace, VOID *kinds_of)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        Block *b = new Block();
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins))
            reinterpret_cast<KindsOf>(kinds_of)(ins, b->mix);
        blocks.push_back(b);
        BBL_InsertCall(bbl, IPOINT_BEFORE, AFUNPTR(tool_count), IARG_PTR, &b->executed, IARG_END);
    }
}

static bool mix_more(const std::pair<std::string, UINT64> &a, const std::pair<std::string, UINT64> &b)
{
    return a.second != b.second ? a.second > b.second : a.first < b.first;
}

static VOID mix_print(INT32, VOID *)
{
    Mix sum;
    for (size_t i = 0; i < blocks.size(); i++)
        for (Mix::iterator k = blocks[i]->mix.begin(); k != blocks[i]->mix.end(); ++k)
            sum[k->first] += k->second * blocks[i]->executed;
    UINT64 total = sum["*total"];
    std::vector<std::pair<std::string, UINT64> > rows(sum.begin(), sum.end());
    std::sort(rows.begin(), rows.end(), mix_more);
    for (size_t i = 0; i < rows.size(); i++)
        if (rows[i].second)
            fprintf(out, "%-20s %15lu %7.3f%%\n", rows[i].first.c_str(), rows[i].second, tool_percent(rows[i].second, total));
    fflush(out);
}

static inline int mix_run(int argc, char **argv, const char *what, KindsOf kinds_of)
{
    tool_start(argc, argv, what);
    TRACE_AddInstrumentFunction(mix_trace, reinterpret_cast<VOID *>(kinds_of));
    PIN_AddFiniFunction(mix_print, 0);
    PIN_StartProgram();
}

#endif

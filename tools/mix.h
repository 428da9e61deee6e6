/* SPDX-License-Identifier: Apache-2.0
 * Instruction mixes: how often instructions of each kind were executed, in the whole program or by place (-by). A block is counted as a whole (lib/blocks.h), so a kind costs nothing
 * at run time; a tool says only what the kinds of an instruction are. The text form has a table for each place, or each place and the calls that led to it (-stack); the others have
 * one, whose first column is the place. */
#ifndef MIX_H
#define MIX_H
#include "mixtime.h"

#include <utility>
#include <vector>

typedef std::map<std::string, UINT64> Mix;

/* Adds the kinds of one instruction. */
typedef VOID (*KindsOf)(INS ins, Mix &mix);

/* title, kind: of the table and of its column. */
struct MixTool {
    const char *name, *what, *title, *kind;
    KindsOf kinds_of;
};
static MixTool mix_tool;

/* Instructions of a block that belong to one place, and their kinds in one execution. */
struct MixPart {
    const WhereBlock *block;
    UINT32 number; /* of the block */
    UINT32 id;
    Mix mix;
};
static std::vector<MixPart> mix_parts;

static VOID mix_block(WhereBlock *block, INS first)
{
    INS ins = first;
    for (UINT32 i = 0; i < block->instructions && INS_Valid(ins); i++, ins = INS_Next(ins)) {
        if (i < block->ids.size())
            mix_parts.push_back(MixPart{block, UINT32(where_blocks.size() - 1), block->ids[i], {}});
        mix_tool.kinds_of(ins, mix_parts.back().mix);
    }
    if (!KnobTimeline)
        return;
    Mix whole;
    ins = first;
    for (UINT32 i = 0; i < block->instructions && INS_Valid(ins); i++, ins = INS_Next(ins))
        mix_tool.kinds_of(ins, whole);
    mix_insert_timed(first, block->instructions, whole);
}

/* By the number, the largest first. */
typedef std::pair<UINT64, const std::pair<const std::string, UINT64> *> MixRow;
static std::vector<MixRow> mix_rows(const Mix &mix)
{
    std::vector<MixRow> rows;
    for (const auto &kind : mix)
        rows.push_back(MixRow(kind.second, &kind));
    std::stable_sort(rows.begin(), rows.end(), [](const MixRow &a, const MixRow &b) { return a.first > b.first; });
    return rows;
}

/* By place alone, or with the calls that led to it. */
typedef std::map<Context, Mix> Mixes;

static VOID mix_add(Mixes *mixes, const MixPart &part, const Context &at, UINT64 executed)
{
    Mix &to = (*mixes)[at];
    for (const auto &kind : part.mix)
        to[kind.first] += kind.second * executed;
}

static Mixes mix_sums_of_stacks()
{
    Mixes mixes;
    std::multimap<UINT32, const MixPart *> parts;
    for (const MixPart &part : mix_parts)
        parts.emplace(part.number, &part);
    contexts_each([&](UINT32 block, UINT64 executed, const CallNode *node, THREADID tid) {
        for (auto part = parts.lower_bound(block); part != parts.upper_bound(block); ++part)
            mix_add(&mixes, *part->second, contexts_of(part->second->id, node, tid), executed);
    });
    return mixes;
}

static Mixes mix_sums()
{
    if (contexts_asked)
        return mix_sums_of_stacks();
    Mixes mixes;
    for (const MixPart &part : mix_parts) {
        if (part.block->executed)
            mix_add(&mixes, part, {where_reduced(part.id, -1)}, part.block->executed);
        for (UINT32 t = 0; t < blocks_threads; t++)
            if (blocks_of[t] && blocks_of[t][part.number])
                mix_add(&mixes, part, {where_reduced(part.id, int(t))}, blocks_of[t][part.number]);
    }
    return mixes;
}

static BOOL mix_has_places() { return where_by || contexts_asked; }

/* The place, and after each < who called. */
static std::string mix_place(const Context &at)
{
    std::string name;
    for (const ResultPlace &p : at)
        name += (name.empty() ? "" : " < ") + where_place_name(p);
    return name;
}

static VOID mix_fill(ResultTable *table, const std::string &place, Mix &mix)
{
    for (const MixRow &row : mix_rows(mix)) {
        table->rows.push_back({row.second->first, row.first, tool_percent(row.first, mix["*total"])});
        if (mix_has_places() && KnobFormat.Value() != "text")
            table->rows.back().insert(table->rows.back().begin(), place);
    }
}

/* Tables by place, those with most instructions first. */
static VOID mix_tables(Result *r)
{
    Mixes mixes = mix_sums();
    std::vector<std::pair<UINT64, Mixes::iterator>> order;
    for (Mixes::iterator i = mixes.begin(); i != mixes.end(); ++i)
        order.push_back({i->second["*total"], i});
    std::stable_sort(order.begin(), order.end(), [](const decltype(order)::value_type &a, const decltype(order)::value_type &b) { return a.first > b.first; });
    BOOL text = KnobFormat.Value() == "text";
    ResultTable whole = {mix_tool.title, "", {{mix_tool.kind, "text"}, {"count", "count"}, {"share", "percent"}}, {}}, none = whole;
    if (mix_has_places() && !text)
        whole.columns.insert(whole.columns.begin(), ResultColumn{"place", "text"});
    for (size_t i = 0; i < order.size() && (!text || !where_top || i < where_top); i++) {
        std::string place = mix_has_places() ? mix_place(order[i].second->first) : "";
        if (text && mix_has_places()) {
            r->tables.push_back(none);
            r->tables.back().title = place;
        }
        mix_fill(text && mix_has_places() ? &r->tables.back() : &whole, place, order[i].second->second);
    }
    if (!whole.rows.empty())
        r->tables.push_back(whole);
}

static VOID mix_results(const lp_results_info *info)
{
    Result result;
    WhereCounts counts(1);
    where_begin(&result, info);
    result.metrics = {{"instructions", "count", "instructions executed"}};
    blocks_add_instructions(&counts);
    counts.Into(&result);
    if (KnobFormat.Value() != "json")
        result.rows.clear(); /* the tables say it */
    if (contexts_asked && KnobFormat.Value() != "text")
        blocks_add_stacks(&result); /* of all kinds together */
    mix_tables(&result);
    if (KnobTimeline)
        mix_timeline(&result);
    where_write(&result);
}

static VOID mix_reset()
{
    blocks_reset();
    contexts_reset();
    mix_begin_steps();
}

static inline int mix_run(int argc, char **argv, const MixTool &tool)
{
    mix_tool = tool;
    where_start(argc, argv, WhereTool{tool.name, tool.what, "", "20", ""});
    if (KnobTimeline && KnobFormat.Value() != "json") {
        fprintf(stderr, "E: %s: -timeline is for -format json (linchpin report shows it)\n", tool.name);
        return 1;
    }
    tool_init_lock(&mix_time_lock);
    mix_begin_steps();
    blocks_hook = mix_block;
    blocks_start_contexts();
    blocks_start();
    tool_results(mix_results, mix_reset);
    PIN_StartProgram();
}

#endif

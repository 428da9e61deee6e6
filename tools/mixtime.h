/* SPDX-License-Identifier: Apache-2.0
 * Mixes over time (-timeline N): how often each kind was executed in each step of so many instructions. Blocks have counters of their own for that, which are read when a step ends. */
#ifndef MIXTIME_H
#define MIXTIME_H
#include "lib/blocks.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

static KNOB<UINT64> KnobTimeline(KNOB_MODE_WRITEONCE, "pintool", "timeline", "0", "the mix over time: steps of at least so many instructions (0: none), for -format json");

/* What of a block's execution is of one kind. */
struct MixShare {
    UINT32 kind;
    UINT64 n;
};
struct MixTimed {
    UINT64 executed, told; /* told: of them, those that are in a step */
    std::vector<MixShare> shares;
};
static std::vector<MixTimed *> mix_timed;
static std::map<std::string, UINT32> mix_kinds;
static std::vector<std::vector<UINT64>> mix_over_time; /* by step and kind */
static UINT64 mix_step, mix_now, mix_step_end;
static PIN_LOCK mix_time_lock;
static const size_t MIX_STEPS = 2048, MIX_SERIES = 12;

static VOID mix_tell_step()
{
    std::vector<UINT64> &step = mix_over_time.back();
    step.resize(mix_kinds.size());
    for (MixTimed *b : mix_timed) {
        UINT64 executed = __atomic_load_n(&b->executed, __ATOMIC_RELAXED), n = executed - b->told;
        b->told = executed;
        for (const MixShare &s : b->shares)
            step[s.kind] += n * s.n;
    }
}

/* When there are too many steps, two become one. */
static VOID mix_halve()
{
    for (size_t i = 0; i < mix_over_time.size(); i += 2) {
        std::vector<UINT64> both = mix_over_time[i];
        both.resize(mix_kinds.size());
        for (size_t k = 0; i + 1 < mix_over_time.size() && k < mix_over_time[i + 1].size(); k++)
            both[k] += mix_over_time[i + 1][k];
        mix_over_time[i / 2] = both;
    }
    mix_over_time.resize((mix_over_time.size() + 1) / 2);
    mix_step *= 2;
}

/* --- analysis ----------------------------------------------------------------------------------------------------- */

/* The block that ends a step is the next one's. */
static ADDRINT mix_is_step(UINT32 n) { return __atomic_add_fetch(&mix_now, n, __ATOMIC_RELAXED) > mix_step_end; }

static VOID mix_next_step()
{
    PIN_LockClient(); /* for mix_timed */
    {
        Locked locked(&mix_time_lock);
        if (mix_now > mix_step_end)
            mix_tell_step();
        while (mix_now > mix_step_end) {
            if (mix_over_time.size() == MIX_STEPS)
                mix_halve();
            mix_over_time.push_back({});
            mix_step_end = mix_step * mix_over_time.size();
        }
    }
    PIN_UnlockClient();
}

static VOID mix_next_step_if(UINT32 n)
{
    if (mix_is_step(n))
        mix_next_step();
}

static VOID mix_count_timed(MixTimed *b) { __atomic_fetch_add(&b->executed, 1, __ATOMIC_RELAXED); }

/* --- instrumentation ------------------------------------------------------------------------------------------------ */

/* The steps begin at the start of a program, and in the child of a fork. */
static VOID mix_begin_steps()
{
    for (MixTimed *b : mix_timed)
        b->told = b->executed;
    mix_now = 0;
    mix_step = mix_step_end = KnobTimeline;
    mix_over_time.assign(1, {});
}

/* In the region; the look comes first, so that the block's count is in the step that it is in. */
static VOID mix_insert_timed(INS first, UINT32 instructions, const std::map<std::string, UINT64> &mix)
{
    MixTimed *b = new MixTimed();
    for (const auto &kind : mix)
        if (kind.first[0] != '*')
            b->shares.push_back(MixShare{mix_kinds.emplace(kind.first, UINT32(mix_kinds.size())).first->second, kind.second});
    mix_timed.push_back(b);
    if (!region_asked) {
        INS_InsertIfCall(first, IPOINT_BEFORE, AFUNPTR(mix_is_step), IARG_UINT32, instructions, IARG_END);
        INS_InsertThenCall(first, IPOINT_BEFORE, AFUNPTR(mix_next_step), IARG_END);
    } else
        REGION_CALL(first, AFUNPTR(mix_next_step_if), IARG_UINT32, instructions, IARG_END);
    REGION_CALL(first, AFUNPTR(mix_count_timed), IARG_PTR, b, IARG_END);
}

/* --- results --------------------------------------------------------------------------------------------------------- */

/* Those that were executed most, and all others together. */
static VOID mix_timeline(Result *r)
{
    Locked locked(&mix_time_lock);
    mix_tell_step();
    std::vector<std::pair<UINT64, std::string>> order;
    for (const auto &kind : mix_kinds) {
        UINT64 sum = 0;
        for (const auto &step : mix_over_time)
            sum += kind.second < step.size() ? step[kind.second] : 0;
        if (sum)
            order.push_back({sum, kind.first});
    }
    std::stable_sort(order.begin(), order.end(), [](const std::pair<UINT64, std::string> &a, const std::pair<UINT64, std::string> &b) { return a.first > b.first; });
    r->timeline.unit = "instructions";
    r->timeline.step = mix_step;
    for (size_t i = 0; i < order.size(); i++) {
        if (i <= MIX_SERIES)
            r->timeline.series.push_back({i < MIX_SERIES ? order[i].second : "others", "", ResultValues(mix_over_time.size())});
        UINT32 kind = mix_kinds[order[i].second];
        for (size_t s = 0; s < mix_over_time.size(); s++)
            r->timeline.series.back().values[s] += kind < mix_over_time[s].size() ? mix_over_time[s][kind] : 0;
    }
}

#endif

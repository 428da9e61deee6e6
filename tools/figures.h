/* SPDX-License-Identifier: Apache-2.0
 * What a simulator would tell of an interval, from plain models: instructions of a few kinds, misses of three levels of caches, wrong predictions of branches, and cycles made up from
 * them. Each thread is a core of its own with all levels to itself (those of cache -machine default, and bpred's predictors); it asks for no lock. */
#ifndef FIGURES_H
#define FIGURES_H
#include "cachelevel.h"
#include "predictor.h"

#include <memory>

enum Figure { LOADS, STORES, BRANCHES, CALLS, VECTOR, MISPREDICTED, L1I_MISSES, L1D_MISSES, L2_MISSES, L3_MISSES, CYCLES, FIGURES };
static const char *const figure_names[] = {"loads", "stores", "branches", "calls", "vector", "mispredicted", "l1i", "l1d", "l2", "l3", "cycles"};
static const UINT32 KINDS = MISPREDICTED; /* the first ones are kinds of instructions, which a block's counter tells */

/* An instruction takes a cycle, and each of these so many more. */
static const UINT64 figure_cycles[] = {0, 0, 0, 0, 0, 15, 10, 10, 30, 150};

static KNOB<std::string> KnobL1(KNOB_MODE_WRITEONCE, "pintool", "l1", "32,8", "first level with -figures, for code and for data: KiB,ways (lines of 64 bytes, LRU)");
static KNOB<std::string> KnobL2(KNOB_MODE_WRITEONCE, "pintool", "l2", "1024,16", "second level, likewise");
static KNOB<std::string> KnobL3(KNOB_MODE_WRITEONCE, "pintool", "l3", "16384,16", "third level, likewise");

static CacheShape figure_l1, figure_l2, figure_l3;
static const UINT32 FIGURE_SHIFT = 6, FIGURE_QUICK = 1024, FIGURE_BITS = 12, FIGURE_RETURNS = 16;

/* FALSE: the text is no cache. */
static BOOL figures_shape(const std::string &text, CacheShape *shape)
{
    unsigned kib, ways;
    char rest;
    if (sscanf(text.c_str(), "%u,%u%c", &kib, &ways, &rest) != 2 || !kib || kib > 1 << 21 || !ways || ways > 1024)
        return FALSE;
    *shape = CacheShape{UINT64(kib) << 10, ways, 64, CACHE_LRU, TRUE};
    return shape->Fits();
}
static BOOL figures_shapes() { return figures_shape(KnobL1, &figure_l1) && figures_shape(KnobL2, &figure_l2) && figures_shape(KnobL3, &figure_l3); }

struct Kinds {
    UINT32 n[KINDS];
};

/* Where the entry of a line is that is in the first level, by the line's last bits. ~0: none. */
struct FigureQuick {
    ADDRINT line;
    UINT64 *stamp;
};

struct Machine {
    UINT64 clock, counts[FIGURES]; /* counts: of the interval in the making; cycles: those above one for each instruction */
    FigureQuick data[FIGURE_QUICK], code[FIGURE_QUICK];
    std::unique_ptr<CacheLevel> l1d, l1i, l2, l3;
    BranchPredictor predictor;

    VOID Begin()
    {
        for (CacheLevel *level : {new CacheLevel(figure_l1, &clock), new CacheLevel(figure_l1, &clock), new CacheLevel(figure_l2, &clock), new CacheLevel(figure_l3, &clock)})
            (!l1d ? l1d : !l1i ? l1i : !l2 ? l2 : l3).reset(level);
        predictor.Reset(FIGURE_BITS, FIGURE_RETURNS);
        for (UINT32 i = 0; i < FIGURE_QUICK; i++)
            data[i].line = code[i].line = ~ADDRINT(0);
    }
    VOID Add(Figure f)
    {
        counts[f]++;
        counts[CYCLES] += figure_cycles[f];
    }
};

static BOOL figures_level(CacheLevel *level, FigureQuick *quick, ADDRINT first, ADDRINT last)
{
    CacheEntry gone;
    BOOL hit = TRUE, here;
    for (ADDRINT line = first; line <= last; line++) {
        CacheEntry *e = level->Touch(line, CACHE_SHARED, &gone, &here);
        hit &= here;
        if (!quick)
            continue;
        if (!here && quick[gone.Line() % FIGURE_QUICK].line == gone.Line())
            quick[gone.Line() % FIGURE_QUICK].line = ~ADDRINT(0);
        quick[line % FIGURE_QUICK] = FigureQuick{line, &e->stamp};
    }
    return hit;
}

/* An access that misses a level is looked up at the next one, whole. */
static VOID figures_access(Machine *m, CacheLevel *level, FigureQuick *quick, ADDRINT address, UINT32 bytes, Figure missed)
{
    ADDRINT first = address >> FIGURE_SHIFT, last = (address + bytes - 1) >> FIGURE_SHIFT;
    if (figures_level(level, quick, first, last))
        return;
    m->Add(missed);
    if (figures_level(m->l2.get(), NULL, first, last))
        return;
    m->Add(L2_MISSES);
    if (!figures_level(m->l3.get(), NULL, first, last))
        m->Add(L3_MISSES);
}

/* --- analysis ----------------------------------------------------------------------------------------------------- */

/* Short looks for the If of a pair: is there more to do than to note the use? */
static ADDRINT PIN_FAST_ANALYSIS_CALL figures_look_data(Machine *m, ADDRINT address, UINT32 bytes)
{
    FigureQuick *q = &m->data[(address >> FIGURE_SHIFT) % FIGURE_QUICK];
    if ((q->line ^ (address >> FIGURE_SHIFT)) | (q->line ^ ((address + bytes - 1) >> FIGURE_SHIFT)))
        return 1;
    *q->stamp = ++m->clock;
    return 0;
}
static ADDRINT PIN_FAST_ANALYSIS_CALL figures_look_code(Machine *m, ADDRINT address, UINT32 bytes)
{
    FigureQuick *q = &m->code[(address >> FIGURE_SHIFT) % FIGURE_QUICK];
    if ((q->line ^ (address >> FIGURE_SHIFT)) | (q->line ^ ((address + bytes - 1) >> FIGURE_SHIFT)))
        return 1;
    *q->stamp = ++m->clock;
    return 0;
}
static VOID figures_data(Machine *m, ADDRINT address, UINT32 bytes) { figures_access(m, m->l1d.get(), m->data, address, bytes, L1D_MISSES); }
static VOID figures_code(Machine *m, ADDRINT address, UINT32 bytes) { figures_access(m, m->l1i.get(), m->code, address, bytes, L1I_MISSES); }

static VOID figures_score(Machine *m, BOOL right)
{
    if (!right)
        m->Add(MISPREDICTED);
}
static VOID figures_conditional(Machine *m, ADDRINT pc, BOOL taken) { figures_score(m, m->predictor.Gshare(pc, taken)); }
static VOID figures_indirect(Machine *m, ADDRINT pc, ADDRINT target) { figures_score(m, m->predictor.Target(pc, target)); }
static VOID figures_return(Machine *m, ADDRINT target) { figures_score(m, m->predictor.Return(target)); }
static VOID figures_call(Machine *m, ADDRINT next) { m->predictor.Call(next); }

/* --- instrumentation ---------------------------------------------------------------------------------------------- */

static BOOL figures_is_vector(INS ins)
{
    for (UINT32 i = 0; i < INS_MaxNumRRegs(ins); i++)
        if (REG_is_xmm_ymm_zmm(INS_RegR(ins, i)) || REG_is_st(INS_RegR(ins, i)))
            return TRUE;
    for (UINT32 i = 0; i < INS_MaxNumWRegs(ins); i++)
        if (REG_is_xmm_ymm_zmm(INS_RegW(ins, i)) || REG_is_st(INS_RegW(ins, i)))
            return TRUE;
    return FALSE;
}

/* The kinds of a block's instructions; a repeated string instruction counts once. */
static VOID figures_kinds(BBL bbl, Kinds *kinds)
{
    memset(kinds, 0, sizeof *kinds);
    for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins)) {
        kinds->n[LOADS] += INS_IsMemoryRead(ins);
        kinds->n[STORES] += INS_IsMemoryWrite(ins);
        kinds->n[BRANCHES] += INS_IsBranch(ins);
        kinds->n[CALLS] += INS_IsCall(ins) || INS_IsRet(ins);
        kinds->n[VECTOR] += figures_is_vector(ins);
    }
}

/* machine: the tool register that has the thread's Machine. An instruction in the line of the one before it is not fetched. */
static VOID figures_instrument(INS ins, REG machine, BOOL is_first)
{
    ADDRINT pc = INS_Address(ins);
    UINT32 bytes = UINT32(INS_Size(ins));
    if (is_first || (pc - 1) >> FIGURE_SHIFT != (pc + bytes - 1) >> FIGURE_SHIFT) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(figures_look_code), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, machine, IARG_ADDRINT, pc, IARG_UINT32, bytes, IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(figures_code), IARG_REG_VALUE, machine, IARG_ADDRINT, pc, IARG_UINT32, bytes, IARG_END);
    }
    for (UINT32 op = 0; op < INS_MemoryOperandCount(ins) && INS_IsStandardMemop(ins); op++) {
        UINT32 size = UINT32(INS_MemoryOperandSize(ins, op));
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(figures_look_data), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, machine, IARG_MEMORYOP_EA, op, IARG_UINT32, size, IARG_END);
        INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(figures_data), IARG_REG_VALUE, machine, IARG_MEMORYOP_EA, op, IARG_UINT32, size, IARG_END);
    }
    if (INS_IsRet(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(figures_return), IARG_REG_VALUE, machine, IARG_BRANCH_TARGET_ADDR, IARG_END);
    else if (INS_IsIndirectControlFlow(ins) && (INS_IsBranch(ins) || INS_IsCall(ins)))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(figures_indirect), IARG_REG_VALUE, machine, IARG_INST_PTR, IARG_BRANCH_TARGET_ADDR, IARG_END);
    else if (INS_IsBranch(ins) && INS_HasFallThrough(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(figures_conditional), IARG_REG_VALUE, machine, IARG_INST_PTR, IARG_BRANCH_TAKEN, IARG_END);
    if (INS_IsCall(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(figures_call), IARG_REG_VALUE, machine, IARG_ADDRINT, INS_NextAddress(ins), IARG_END);
}

#endif

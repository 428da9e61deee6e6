/* SPDX-License-Identifier: Apache-2.0
 * The headers beside pin.H: INSTLIB, profiles, the cache model, XED's names, Pin's C library. The cache model is also run (run.py). */
#include "pin.H"
#include "instlib.H"
#include "portability.H"
#include "tool_macros.h"

#include <iostream>

typedef UINT64 CACHE_STATS;
#include "pin_cache.H"
#include "pin_profile.H"

namespace DL1 {
const UINT32 max_sets = KILO;
const UINT32 max_associativity = 256;
const CACHE_ALLOC::STORE_ALLOCATION allocation = CACHE_ALLOC::STORE_ALLOCATE;
typedef CACHE_ROUND_ROBIN(max_sets, max_associativity, allocation) CACHE;
}
typedef enum { COUNTER_MISS = 0, COUNTER_HIT = 1, COUNTER_NUM } COUNTER;
typedef COUNTER_ARRAY<UINT64, COUNTER_NUM> COUNTER_HIT_MISS;
static COMPRESSOR_COUNTER<ADDRINT, UINT32, COUNTER_HIT_MISS> profile;
static INSTLIB::ICOUNT icount;
static INSTLIB::FILTER filter;
static INSTLIB::FOLLOW_CHILD follow;

static VOID Trace(TRACE trace, VOID *)
{
    if (!filter.SelectTrace(trace))
        return;
    for (INS ins = BBL_InsHead(TRACE_BblHead(trace)); INS_Valid(ins); ins = INS_Next(ins)) {
        const xed_decoded_inst_t *xedd = INS_XedDec(ins);
        if (xed_decoded_inst_get_iclass(xedd) == XED_ICLASS_MOV || INS_Opcode(ins) == XED_ICLASS_PUSH || INS_Category(ins) == XED_CATEGORY_CALL || INS_Extension(ins) == XED_EXTENSION_AVX)
            std::cerr << xed_iclass_enum_t2str(xed_decoded_inst_get_iclass(xedd)) << REG_StringShort(INS_XedExactMapToPinReg(xed_decoded_inst_get_reg(xedd, XED_OPERAND_REG0)));
    }
}

int main(int argc, char *argv[])
{
    if (argc > 100) { /* compiled, not run */
        icount.Activate(INSTLIB::ICOUNT::ModeBoth);
        filter.Activate();
        follow.SetPrefix(argv);
        follow.Activate();
        TRACE_AddInstrumentFunction(Trace, 0);
        std::cerr << icount.Count(0) << icount.CountWithoutRep();
    }
    DL1::CACHE cache("L1", 1024, 64, 2); /* 8 sets of 2 lines */
    bool hits[] = {cache.Access(0, 8, CACHE_BASE::ACCESS_TYPE_LOAD), cache.Access(60, 8, CACHE_BASE::ACCESS_TYPE_LOAD), cache.AccessSingleLine(64, CACHE_BASE::ACCESS_TYPE_STORE),
        cache.AccessSingleLine(512, CACHE_BASE::ACCESS_TYPE_LOAD), cache.AccessSingleLine(1024, CACHE_BASE::ACCESS_TYPE_LOAD), cache.AccessSingleLine(0, CACHE_BASE::ACCESS_TYPE_LOAD)};
    for (size_t i = 0; i < sizeof hits / sizeof hits[0]; i++)
        std::cout << hits[i];
    std::cout << " " << cache.Hits() << " " << cache.Misses() << " " << cache.Accesses(CACHE_BASE::ACCESS_TYPE_STORE) << std::endl;
    cache.Flush();
    std::cout << cache.AccessSingleLine(0, CACHE_BASE::ACCESS_TYPE_LOAD) << cache.Flushes() << cache.Resets() << " ";
    cache.ResetStats();
    std::cout << cache.Flushes() << cache.Resets() << cache.Misses() << std::endl;
    DL1::CACHE ways("L1", 1024, 64, 2); /* both lines of a set are used */
    for (ADDRINT address = 0; address < 4; address++)
        std::cout << ways.AccessSingleLine(512 * (address % 2), CACHE_BASE::ACCESS_TYPE_LOAD);
    std::cout << std::endl;
    enum small { ONE } one = ONE;
    const PARG_T pargs[] = {PIN_PARG(int), PIN_PARG(const char *), PIN_PARG(double), PIN_PARG(void), PIN_PARG_ENUM(one), PIN_PARG_AGGREGATE(CACHE_BASE)};
    const PARG_T wanted[] = {{PARG_INT, 4}, {PARG_POINTER, 8}, {PARG_DOUBLE, 8}, {PARG_VOID, 0}, {PARG_ENUM, sizeof one}, {PARG_AGGREGATE, sizeof(CACHE_BASE)}};
    for (size_t i = 0; i < sizeof pargs / sizeof pargs[0]; i++)
        std::cout << (pargs[i].kind == wanted[i].kind && pargs[i].size == wanted[i].size);
    std::cout << std::endl;
    profile.SetKeyName("address");
    profile.SetCounterName("miss hit");
    profile[profile.Map(0x1000)][COUNTER_HIT] += 3;
    profile[profile.Map(0x800)][COUNTER_MISS]++;
    COUNTER_HIT_MISS threshold;
    threshold[COUNTER_HIT] = 2;
    profile.SetThreshold(threshold);
    std::cout << profile.StringLong();
    char text[8];
    sprintf_s(text, sizeof text, "%d", 12);
    std::cout << text << strnlen_s(text, 8) << C_MANGLE("x") << cache.StatsLong("# ", CACHE_BASE::CACHE_TYPE_DCACHE).size() / 1000 << std::endl;
    return 0;
}

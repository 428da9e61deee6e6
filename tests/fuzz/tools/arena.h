/* SPDX-License-Identifier: Apache-2.0
 * Where the fuzzer's cases have their code. Put in front of any tool (-include arena.h) it lets the tool see the instructions of cases only: the rest
 * of the guest makes the cases, and would take far longer than they do. */
#ifndef LP_FUZZ_ARENA_H
#define LP_FUZZ_ARENA_H
#include "pin.H"

static const ADDRINT arena_low = 0x50200000, arena_high = 0x510200000, arena_bytes = 0x100000; /* CODE_AT to EXIT_AT of both layouts in fuzz.h */

static inline bool ArenaHas(ADDRINT pc) { return pc - arena_low < arena_bytes || pc - arena_high < arena_bytes; }

static INS_INSTRUMENT_CALLBACK arena_function;

static VOID ArenaInstruction(INS ins, VOID *data)
{
    if (ArenaHas(INS_Address(ins)))
        arena_function(ins, data);
}

static inline VOID ArenaAddInstrumentFunction(INS_INSTRUMENT_CALLBACK function, VOID *data)
{
    arena_function = function;
    INS_AddInstrumentFunction(ArenaInstruction, data);
}

#define INS_AddInstrumentFunction ArenaAddInstrumentFunction
#endif

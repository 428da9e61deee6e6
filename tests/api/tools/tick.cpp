/* SPDX-License-Identifier: Apache-2.0
 * Guests tick and tickrep: instructions counted one by one, compared with what its own counters say. */
#include "golden.h"

static UINT64 count;

static VOID One() { count++; }
static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsSyscall(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(One), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    UINT64 ticks = *reinterpret_cast<UINT64 *>(at("at_ticks")), rounds = *reinterpret_cast<UINT64 *>(at("at_rounds"));
    const UINT64 *counts = reinterpret_cast<UINT64 *>(at("at_counts")), want = counts[0] + rounds * counts[1] + ticks * counts[2];
    if (count == want && ticks >= 300)
        std::printf("exact\n");
    else
        std::printf("%lu counted, %lu expected: %lu rounds, %lu ticks\n", count, want, rounds, ticks);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

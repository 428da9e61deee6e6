/* SPDX-License-Identifier: Apache-2.0
 * Guest tick: instructions counted one by one, compared with what its own counters say. */
#include "golden.h"

enum { START = 17, ROUND = 23, TICK = 3 }; /* instructions, see the guest; without system calls, whose calls may run again (A5) */
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
    UINT64 want = START + rounds * ROUND + ticks * TICK;
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

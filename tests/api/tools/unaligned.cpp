/* SPDX-License-Identifier: Apache-2.0
 * Tool code that accesses memory at odd addresses while the guest has alignment checks on (AC): they are the guest's
 * alone, and stay on for it. One routine is small enough for the place of the call, one calls others. */
#include "golden.h"

static char room[64], text[64];
static UINT64 calls, sum;

static VOID Small()
{
    *reinterpret_cast<volatile INT32 *>(room + 2) = *reinterpret_cast<volatile INT32 *>(room + 1);
    calls++;
}

static VOID Large(ADDRINT flags)
{
    std::memcpy(text + 3, room + 1, 16);
    sum += *reinterpret_cast<volatile INT64 *>(text + 5) + (flags >> 18 & 1);
    calls++;
}

/* Against the calling convention, as Pin's own test set_df_flag_tool does it. */
static VOID Backwards() { __asm__ volatile("std" ::: "cc"); }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_backwards"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Backwards), IARG_END);
    if (!in_range(ins))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Small), IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Large), IARG_REG_VALUE, REG_GFLAGS, IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("%lu calls, AC seen %lu times\n", calls, sum); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

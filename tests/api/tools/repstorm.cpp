/* SPDX-License-Identifier: Apache-2.0
 * IARG_FIRST_REP_ITERATION while signals arrive whose handler runs REP instructions itself: once for each execution. Rule A43.
 * With after=1, calls after them, too: as many as before. */
#include "golden.h"

static UINT64 firsts[2], all[2], afters[2];

static VOID Rep(BOOL first, UINT32 which)
{
    firsts[which] += first;
    all[which]++;
}

static VOID After(UINT32 which) { afters[which]++; }

static VOID Instruction(INS ins, VOID *)
{
    if (!is_at(ins, "at_loop") && !is_at(ins, "at_handler"))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Rep), IARG_FIRST_REP_ITERATION, IARG_UINT32, is_at(ins, "at_handler"), IARG_END);
    if (option("after"))
        INS_InsertPredicatedCall(ins, IPOINT_AFTER, AFUNPTR(After), IARG_UINT32, is_at(ins, "at_handler"), IARG_END);
}

static VOID Fini(INT32 status, VOID *)
{
    std::printf("loop %lu of %lu, handler %s\n", firsts[0], all[0], firsts[1] * 3 == all[1] && all[1] ? "right" : "wrong");
    if (option("after"))
        std::printf("after %lu, handler %s\n", afters[0], afters[1] == all[1] ? "right" : "wrong");
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

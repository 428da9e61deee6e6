/* SPDX-License-Identifier: Apache-2.0
 * The functions for the end of the process run once, to their end, while other threads want to end it too. exit=yes: an analysis routine ends it. Rule A12. */
#include "golden.h"

static volatile int prepared, finis;
static volatile unsigned turns;
static volatile unsigned ends[8192];

static VOID Prepare(VOID *) { __sync_fetch_and_add(&prepared, 1); }
static VOID End(THREADID tid, const CONTEXT *, INT32, VOID *) { ends[tid] = ends[tid] + 1; }
static VOID Exit() { PIN_ExitApplication(4); }

static VOID Fini(INT32 code, VOID *)
{
    bool twice = false;
    finis = finis + 1;
    for (turns = 0; turns < 20000000; turns = turns + 1) /* time for the others */
        ;
    for (int i = 0; i < 8192; i++)
        twice |= ends[i] > 1;
    std::printf("prepared %d, ended %s, fini %d with %d\n", prepared, twice ? "twice" : "once", finis, code);
}

static VOID Instruction(INS ins, VOID *)
{
    if (option("exit") && is_at(ins, "at_end"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Exit), IARG_END);
}

static VOID Seen(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *) {}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_AddPrepareForFiniFunction(Prepare, 0);
    PIN_AddThreadFiniFunction(End, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_AddSyscallEntryFunction(Seen, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

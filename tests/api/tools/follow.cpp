/* SPDX-License-Identifier: Apache-2.0
 * INSTLIB: FOLLOW_CHILD takes executed programs along, with the command line that SetPrefix was given; ICOUNT with each REP instruction once, against a count of our own. */
#include "golden.h"

#include "instlib.H"

extern "C" void __gcov_dump() __attribute__((weak));

static INSTLIB::FOLLOW_CHILD follow;
static INSTLIB::ICOUNT icount;
static UINT64 once, all;

static VOID One() { once++, all++; }
static VOID Repeated(BOOL first, BOOL executing)
{
    once += first || !executing;
    all++;
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_HasRealRep(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Repeated), IARG_FIRST_REP_ITERATION, IARG_EXECUTING, IARG_END);
    else
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(One), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    std::printf("%s: all %s, once %s, repeats %d\n", option("who") ? option("who") : "first", icount.Count() == all ? "right" : "wrong", icount.CountWithoutRep() == once ? "right" : "wrong", all > once);
    if (__gcov_dump)
        __gcov_dump();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (!option("who")) {
        static CHAR *prefix[] = {argv[0], (CHAR *)"-follow_execv", (CHAR *)"-t", (CHAR *)PIN_ToolFullPath(), (CHAR *)"-set", (CHAR *)"who=child", (CHAR *)"--", 0};
        follow.SetPrefix(prefix);
    }
    follow.Activate();
    icount.Activate(INSTLIB::ICOUNT::ModeBoth);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

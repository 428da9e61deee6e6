/* SPDX-License-Identifier: Apache-2.0
 * A source as Pin 2 took it: namespace std open, names that are gone. Built with -DPIN_2_COMPAT, also as C++98. */
#include "pin.H"

ofstream out;
KNOB<string> KnobOutput(KNOB_MODE_WRITEONCE, "pintool", "o", "old.out", "output");
PIN_LOCK lock;
map<string, UINT64> counts;

VOID Arg(ADDRINT a, ADDRINT b)
{
    GetLock(&lock, 1);
    out << hex << a << dec << b << endl;
    ReleaseLock(&lock);
}
VOID Rtn(RTN rtn, VOID *v)
{
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Arg), IARG_G_ARG0_CALLEE, IARG_G_ARG1_CALLEE, IARG_END);
    RTN_InsertCall(rtn, IPOINT_AFTER, AFUNPTR(Arg), IARG_G_RESULT0, IARG_ADDRINT, ADDRINT(0), IARG_END);
    counts[RTN_Name(rtn)]++;
    RTN_Close(rtn);
    (void)v;
}
#if __cplusplus >= 201103L
int Call(CONTEXT *ctxt, THREADID tid, AFUNPTR f)
{
    int result = 0;
    PIN_CallApplicationFunction(ctxt, tid, CALLINGSTD_DEFAULT, f, PIN_PARG(int), &result, PIN_PARG(int), 1, PIN_PARG_END());
    return result;
}
#endif
int main(int argc, char *argv[])
{
    InitLock(&lock);
    PIN_InitSymbols();
    if (PIN_Init(argc, argv)) {
        cerr << KNOB_BASE::StringKnobSummary() << endl;
        return -1;
    }
    out.open(KnobOutput.Value().c_str());
    RTN_AddInstrumentFunction(Rtn, 0);
    PIN_StartProgram();
    return 0;
}

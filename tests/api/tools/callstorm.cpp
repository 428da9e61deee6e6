/* SPDX-License-Identifier: Apache-2.0
 * A replaced routine, its original called in turn by pointer and by PIN_CallApplicationFunction, and a function of the program called in front of and behind instructions of another. */
#include "golden.h"

static AFUNPTR plus_one;
static ADDRINT probed;
static UINT64 entries, bad;

static long Twice(const CONTEXT *ctxt, AFUNPTR original, long x)
{
    long r = 0;
    if (x & 1)
        return ((long (*)(long))original)(x);
    PIN_CallApplicationFunction(ctxt, PIN_ThreadId(), CALLINGSTD_DEFAULT, original, NULL, PIN_PARG(long), &r, PIN_PARG(long), x, PIN_PARG_END());
    return r;
}

static VOID Probe(const CONTEXT *ctxt, THREADID tid, ADDRINT pc)
{
    long r = 0;
    PIN_CallApplicationFunction(ctxt, tid, CALLINGSTD_DEFAULT, plus_one, NULL, PIN_PARG(long), &r, PIN_PARG(long), (long)pc, PIN_PARG_END());
    if (r != (long)pc + 1)
        __atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
}
static VOID Enter() { __atomic_add_fetch(&entries, 1, __ATOMIC_RELAXED); }

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    PROTO p = PROTO_Allocate(PIN_PARG(long), CALLINGSTD_DEFAULT, "twice", PIN_PARG(long), PIN_PARG_END());
    RTN_ReplaceSignature(RTN_FindByName(img, "twice"), AFUNPTR(Twice), IARG_PROTOTYPE, p, IARG_CONST_CONTEXT, IARG_ORIG_FUNCPTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
    PROTO_Free(p);
    plus_one = AFUNPTR(RTN_Address(RTN_FindByName(img, "plus_one")));
    RTN rtn = RTN_FindByName(img, "probed");
    probed = RTN_Address(rtn);
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Enter), IARG_END);
    for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins)) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Probe), IARG_CONST_CONTEXT, IARG_THREAD_ID, IARG_INST_PTR, IARG_END);
        if (INS_IsValidForIpointAfter(ins))
            INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Probe), IARG_CONTEXT, IARG_THREAD_ID, IARG_INST_PTR, IARG_END);
    }
    RTN_Close(rtn);
}

static VOID Fini(INT32, VOID *)
{
    if (bad)
        std::printf("%lu wrong results\n", bad);
    std::printf("%lu probed, as they should be\n", entries);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

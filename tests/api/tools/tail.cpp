/* SPDX-License-Identifier: Apache-2.0
 * Calls after routines that end in jumps; arguments and results by reference; blocks of routines; the routine of a trace. Rule A35. */
#include "golden.h"

static VOID Leave(const char *name, ADDRINT result) { std::printf("%s %lu\n", name, result); }
static VOID Add100(ADDRINT *result) { *result += 100; }

/* First call: 2 3 20 30, made 5 5 50 30 (the stack argument in place). */
static int calls;
static VOID Enter(ADDRINT *first, ADDRINT *second, ADDRINT *seventh, ADDRINT *eighth)
{
    if (calls++)
        return;
    if (*first != 2 || *second != 3 || *seventh != 20 || *eighth != 30)
        std::printf("arguments %lu %lu %lu %lu\n", *first, *second, *seventh, *eighth);
    *first = 5;
    *second = 5;
    *seventh = 50;
}
static VOID Site(ADDRINT *first, ADDRINT *second, ADDRINT *seventh, ADDRINT *eighth)
{
    std::printf("at the call %lu %lu %lu %lu\n", *first, *second, *seventh, *eighth);
    *first = 7;
    *second = 9;
    *seventh = 80;
}

static VOID Blocks(RTN rtn)
{
    UINT32 n = 0, ins = 0;
    for (BBL b = RTN_BblHead(rtn); BBL_Valid(b); b = BBL_Next(b), n++)
        ins += BBL_NumIns(b);
    if (ins != RTN_NumIns(rtn) || BBL_Address(RTN_BblHead(rtn)) != RTN_Address(rtn))
        std::printf("%u instructions in blocks\n", ins);
    std::printf("%s: %u blocks, %u instructions in the last\n", RTN_Name(rtn).c_str(), n, BBL_NumIns(RTN_BblTail(rtn)));
}

static VOID Image(IMG img, VOID *)
{
    static const char *const names[] = {"direct", "conditional", "indirect", "leaf", "chain", "arguments", "mutual"};
    for (int i = 0; IMG_IsMainExecutable(img) && i < 7; i++) {
        RTN rtn = RTN_FindByName(img, names[i]);
        RTN_Open(rtn);
        if (i < 3)
            Blocks(rtn);
        RTN_InsertCall(rtn, IPOINT_AFTER, AFUNPTR(Leave), IARG_PTR, names[i], IARG_FUNCRET_EXITPOINT_VALUE, IARG_END);
        if (i == 2)
            RTN_InsertCall(rtn, IPOINT_AFTER, AFUNPTR(Add100), IARG_FUNCRET_EXITPOINT_REFERENCE, IARG_END);
        if (i == 5)
            RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Enter), IARG_FUNCARG_ENTRYPOINT_REFERENCE, 0, IARG_FUNCARG_ENTRYPOINT_REFERENCE, 1, IARG_FUNCARG_ENTRYPOINT_REFERENCE, 6,
                           IARG_FUNCARG_ENTRYPOINT_REFERENCE, 7, IARG_END);
        RTN_Close(rtn);
    }
}

static bool leaf_seen;
static VOID Trace(TRACE trace, VOID *)
{
    RTN rtn = TRACE_Rtn(trace);
    leaf_seen |= RTN_Valid(rtn) && RTN_Name(rtn) == "leaf";
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_site"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Site), IARG_FUNCARG_CALLSITE_REFERENCE, 0, IARG_FUNCARG_CALLSITE_REFERENCE, 1, IARG_FUNCARG_CALLSITE_REFERENCE, 6, IARG_FUNCARG_CALLSITE_REFERENCE, 7,
                       IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("traces of leaf: %s\n", leaf_seen ? "yes" : "no"); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

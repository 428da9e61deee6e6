/* SPDX-License-Identifier: Apache-2.0
 * IARG_EXPOSE with MXCSR; calls of routines, open routines, traces, blocks and instructions at one place, by CALL_ORDER. */
#include "golden.h"

#include <xmmintrin.h>

static VOID Show(const char *text)
{
    unsigned now = _mm_getcsr();
    _mm_setcsr(0x5f80);
    std::printf("%s mxcsr 0x%x\n", text, now);
}
static VOID Say(const char *text) { std::printf("%s\n", text); }
static ADDRINT Yes(const char *text)
{
    std::printf("%s\n", text);
    return 1;
}

#define SAY(text, order) AFUNPTR(Say), IARG_PTR, text, IARG_CALL_ORDER, order, IARG_END

static VOID Image(IMG img, VOID *)
{
    RTN f = RTN_FindByName(img, "f");
    if (!RTN_Valid(f))
        return;
    RTN_Open(f);
    RTN_InsertCall(f, IPOINT_BEFORE, SAY("routine 300", CALL_ORDER_LAST));
    RTN_InsertCall(f, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, "routine 200", IARG_END);
    INS_InsertCall(RTN_InsHead(f), IPOINT_BEFORE, SAY("routine, opened 150", 150));
    RTN_Close(f);
}

static VOID Trace(TRACE trace, VOID *)
{
    if (TRACE_Address(trace) != at("at_f"))
        return;
    TRACE_InsertCall(trace, IPOINT_BEFORE, SAY("trace 150", 150));
    BBL_InsertCall(TRACE_BblHead(trace), IPOINT_BEFORE, SAY("block 100", CALL_ORDER_FIRST));
    BBL_InsertCall(TRACE_BblHead(trace), IPOINT_ANYWHERE, AFUNPTR(Say), IARG_PTR, "anywhere 200", IARG_END);
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_hidden"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_PTR, "hidden", IARG_END);
    if (is_at(ins, "at_exposed")) {
        REGSET mxcsr;
        REGSET_Clear(mxcsr);
        REGSET_Insert(mxcsr, REG_MXCSR);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_PTR, "exposed", IARG_EXPOSE, &mxcsr, IARG_END);
    }
    if (!is_at(ins, "at_f"))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, SAY("instruction 301", CALL_ORDER_LAST + 1));
    INS_InsertCall(ins, IPOINT_BEFORE, SAY("instruction 250", 250));
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, "instruction 200", IARG_END);
    INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Yes), IARG_PTR, "if 180", IARG_CALL_ORDER, 180, IARG_END);
    INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, "then", IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, SAY("instruction 50", 50));
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_InitSymbols();
    IMG_AddInstrumentFunction(Image, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

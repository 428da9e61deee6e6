/* SPDX-License-Identifier: Apache-2.0
 * CALL_APPLICATION_FUNCTION_PARAM::native: the function runs without the tool's calls and replacements, once; then as ever. Rule A32. */
#include "golden.h"

static UINT64 executed, replaced;
static int depth;

static VOID Count() { executed++; }

static INT64 Replacement(INT64 x)
{
    replaced++;
    return x + 1000;
}

static VOID Call(const CONTEXT *ctxt, THREADID tid)
{
    CALL_APPLICATION_FUNCTION_PARAM param = CALL_APPLICATION_FUNCTION_PARAM();
    if (depth++) /* the calls below, instrumented */
        return;
    for (int native = 1; native >= 0; native--) {
        INT64 r = 0;
        executed = replaced = 0;
        param.native = native;
        PIN_CallApplicationFunction(ctxt, tid, CALLINGSTD_DEFAULT, AFUNPTR(at("at_outer")), &param, PIN_PARG(INT64), &r, PIN_PARG(INT64), INT64(5), PIN_PARG_END());
        std::printf("native %d: result %ld, counted %s, replaced %lu\n", native, r, executed ? "some" : "none", replaced);
    }
    executed = replaced = 0;
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_Address(ins) >= at("at_outer") && INS_Address(ins) < at("at_end"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_END);
    if (is_at(ins, "at_call"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Call), IARG_CONST_CONTEXT, IARG_THREAD_ID, IARG_END);
}

static VOID Image(IMG img, VOID *)
{
    RTN inner = RTN_FindByName(img, "at_inner");
    if (RTN_Valid(inner))
        RTN_ReplaceSignature(inner, AFUNPTR(Replacement), IARG_PROTOTYPE, PROTO_Allocate(PIN_PARG(INT64), CALLINGSTD_DEFAULT, "inner", PIN_PARG(INT64), PIN_PARG_END()), IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
}

static VOID Fini(INT32 status, VOID *) { std::printf("then: status %d, counted %lu, replaced %lu\n", status, executed, replaced); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * PIN_CallApplicationFunction: a list that is only PIN_PARG_END() is a function without arguments and result; registers
 * for which the list has no argument are the context's, the tool's too, which are afterwards what they were. Rule A32. */
#include "golden.h"

static REG scratch;

static VOID Call(const CONTEXT *given, THREADID tid)
{
    CONTEXT ctxt;
    double two_and_a_half = 2.5;
    INT64 sum = 0;
    PIN_SaveContext(given, &ctxt);
    PIN_SetContextReg(&ctxt, scratch, 7);
    PIN_SetContextReg(&ctxt, REG_RSI, 30);
    PIN_SetContextRegval(&ctxt, REG_XMM0, reinterpret_cast<UINT8 *>(&two_and_a_half));
    PIN_CallApplicationFunction(&ctxt, tid, CALLINGSTD_DEFAULT, AFUNPTR(at("at_mark")), NULL, PIN_PARG_END());
    PIN_CallApplicationFunction(&ctxt, tid, CALLINGSTD_DEFAULT, AFUNPTR(at("at_sum")), NULL, PIN_PARG(INT64), &sum,
                                PIN_PARG(INT64), INT64(100), PIN_PARG_END());
    std::printf("sum %ld\n", sum);
}

static VOID See(const char *where, ADDRINT value) { std::printf("%s: G0 %lu\n", where, value); }

static VOID Instruction(INS ins, VOID *)
{
    static const char *const places[] = {"at_mark", "at_sum", "at_after"};
    for (unsigned i = 0; i < 3; i++)
        if (is_at(ins, places[i]))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(See), IARG_PTR, places[i], IARG_REG_VALUE, scratch, IARG_END);
    if (is_at(ins, "at_call"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Call), IARG_CONST_CONTEXT, IARG_THREAD_ID, IARG_END);
}

static VOID Thread(THREADID, CONTEXT *ctxt, INT32, VOID *) { PIN_SetContextReg(ctxt, scratch, 3); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    scratch = PIN_ClaimToolRegister();
    PIN_AddThreadStartFunction(Thread, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

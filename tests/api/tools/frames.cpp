/* SPDX-License-Identifier: Apache-2.0
 * Interceptors are told of the SIGSEGV for a frame that cannot be written or is not there, which is no exception; where
 * that has no frame either, they are asked once more before the program ends. */
#include "golden.h"

static BOOL Intercept(THREADID, INT32 sig, CONTEXT *, BOOL has_handler, const EXCEPTION_INFO *info, VOID *)
{
    std::printf("signal %d%s%s\n", sig, info ? ", an exception" : "", has_handler ? ", handled" : "");
    return TRUE;
}

static VOID Change(THREADID, CONTEXT_CHANGE_REASON why, const CONTEXT *, CONTEXT *, INT32 info, VOID *)
{
    std::printf("%s %d\n", why == CONTEXT_CHANGE_REASON_FATALSIGNAL ? "fatal" : why == CONTEXT_CHANGE_REASON_SIGNAL ? "handler" : "return", info);
    std::fflush(stdout);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_InterceptSignal(4, Intercept, 0);
    PIN_InterceptSignal(11, Intercept, 0);
    PIN_AddContextChangeFunction(Change, 0);
    PIN_StartProgram();
}

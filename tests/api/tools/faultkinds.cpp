/* SPDX-License-Identifier: Apache-2.0
 * The exceptions behind signals of faulting instructions. */
#include "golden.h"

static BOOL Fault(THREADID, INT32 sig, CONTEXT *ctxt, BOOL, const EXCEPTION_INFO *info, VOID *)
{
    static const char *const types[] = {"unknown", "read", "write", "execute"};
    ADDRINT at;
    if (!info) {
        std::printf("%d without exception\n", sig);
        return true;
    }
    std::string name = PIN_ExceptionToString(info);
    std::printf("%d %s at 0x%lx", sig, name.substr(16, name.find('(') - 16).c_str(), PIN_GetExceptionAddress(info));
    if (PIN_GetFaultyAccessAddress(info, &at))
        std::printf(" %s 0x%lx", types[PIN_GetFaultyAccessType(info)], at);
    std::printf("%s\n", PIN_GetContextReg(ctxt, REG_INST_PTR) == PIN_GetExceptionAddress(info) ? "" : " elsewhere");
    return true;
}

int main(int argc, char **argv)
{
    const INT32 sigs[] = {11, 7, 4, 8, 5};
    begin(argc, argv);
    for (int i = 0; i < 5; i++)
        PIN_InterceptSignal(sigs[i], Fault, 0);
    PIN_StartProgram();
}

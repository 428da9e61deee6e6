/* SPDX-License-Identifier: Apache-2.0
 * PIN_Backtrace against the guest's own unwinder. Rule A36. */
#include "golden.h"

#include <execinfo.h>

/* At the start of compare, called by deepest: own[0] is deepest's address in the call of the unwinder, ours is the one in the call of compare. */
static VOID Compare(const CONTEXT *ctxt, void **own, long n)
{
    void *ours[64];
    PIN_LockClient();
    int k = PIN_Backtrace(ctxt, ours, 64);
    PIN_UnlockClient();
    while (n && !own[n - 1]) /* the unwinder's end of the stack */
        n--;
    bool same = k == n + 1 && ours[0] == (void *)PIN_GetContextReg(ctxt, REG_INST_PTR) && n > 3;
    for (long i = 1; same && i < n; i++)
        same = own[i] == ours[i + 1];
    /* The guest's addresses have names as Pin's C library writes them: "function+0x0 at file+0x0". */
    char **names = backtrace_symbols(ours, 2);
    same = same && names && !std::strncmp(names[0], "compare+0x0 at /", 16) && std::strstr(names[1], "deepest") && std::strstr(names[1], " at /");
    std::free(names);
    if (same) {
        std::printf("alike\n");
        return;
    }
    for (int i = 0; i < k; i++)
        std::printf("%p %p\n", ours[i], i > 0 && i <= n ? own[i - 1] : 0);
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = IMG_IsMainExecutable(img) ? RTN_FindByName(img, "compare") : RTN_Invalid();
    if (!RTN_Valid(rtn))
        return;
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Compare), IARG_CONST_CONTEXT, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END);
    RTN_Close(rtn);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * A replacement computes as the guest has set its floating point: a division by 0 faults where the guest wants it to,
 * and a handler of the tool's may put that right. Registers of IARG_PRESERVE are the guest's, others stay as they are.
 * What a replacement without a result leaves in rax is there. */
#include "golden.h"

static EXCEPT_HANDLING_RESULT Handle(THREADID, EXCEPTION_INFO *info, PHYSICAL_CONTEXT *context, VOID *)
{
    std::printf("%s\n", PIN_ExceptionToString(info).substr(0, 44).c_str());
    CHAR state[FPSTATE_SIZE];
    PIN_GetPhysicalContextFPState(context, state);
    reinterpret_cast<FPSTATE *>(state)->fxsave_legacy._mxcsr |= 0x200;
    PIN_SetPhysicalContextFPState(context, state);
    return EHR_HANDLED;
}

static ADDRINT Divides(THREADID id)
{
    volatile float zero = 0, one = 1;
    PIN_TryStart(id, Handle, 0);
    one = one / zero;
    PIN_TryEnd(id);
    return 7;
}

static VOID Negates() { __asm__ volatile("fchs\n\tpcmpeqd %%xmm6, %%xmm6" ::: "xmm6"); }

static VOID Image(IMG img, VOID *)
{
    PROTO proto = PROTO_Allocate(PIN_PARG(void), CALLINGSTD_DEFAULT, "nothing", PIN_PARG_END());
    REGSET x87;
    REGSET_Clear(x87);
    REGSET_Insert(x87, REG_X87);
    RTN divides = RTN_FindByName(img, "divides"), keeps = RTN_FindByName(img, "keeps"), changes = RTN_FindByName(img, "changes");
    if (RTN_Valid(divides) && RTN_Valid(keeps) && RTN_Valid(changes)) {
        RTN_ReplaceSignature(divides, AFUNPTR(Divides), IARG_PROTOTYPE, proto, IARG_THREAD_ID, IARG_END);
        RTN_ReplaceSignature(keeps, AFUNPTR(Negates), IARG_PROTOTYPE, proto, IARG_END);
        RTN_ReplaceSignature(changes, AFUNPTR(Negates), IARG_PROTOTYPE, proto, IARG_PRESERVE, &x87, IARG_END);
    }
    PROTO_Free(proto);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}

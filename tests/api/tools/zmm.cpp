/* SPDX-License-Identifier: Apache-2.0
 * zmm and mask registers in contexts, by reference and as results. */
#include "golden.h"

static unsigned bad, runs;

static VOID Read(const CONTEXT *c, const UINT64 *zmm1, const UINT64 *zmm17)
{
    UINT64 v[8], k = PIN_GetContextReg(c, REG_K3);
    runs++;
    PIN_GetContextRegval(c, REG_ZMM17, (UINT8 *)v);
    for (UINT64 i = 0; i < 8; i++)
        bad += zmm1[i] != i + 1 || zmm17[i] != i + 1 || v[i] != i + 1;
    PIN_GetContextRegval(c, REG_YMM17, (UINT8 *)v);
    bad += v[3] != 4;
    PIN_GetContextRegval(c, REG_XMM1, (UINT8 *)v);
    bad += v[1] != 2;
    bad += k != 0xabcd;
}

static VOID Write(UINT64 *zmm1, UINT64 *zmm18, UINT64 *xmm17)
{
    zmm1[7] = 0x77;
    zmm18[5] = 0x88;
    xmm17[1] = 0x99;
}
static ADDRINT Mask() { return 0x1234; }

static VOID Instruction(INS ins, VOID *)
{
    if (!is_at(ins, "at_here") || !PIN_SupportsProcessorState(PROCESSOR_STATE_ZMM))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Read), IARG_CONST_CONTEXT, IARG_REG_CONST_REFERENCE, REG_ZMM1, IARG_REG_REFERENCE, REG_ZMM17, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Write), IARG_REG_REFERENCE, REG_ZMM1, IARG_REG_REFERENCE, REG_ZMM18, IARG_REG_REFERENCE, REG_XMM17, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Mask), IARG_RETURN_REGS, REG_K4, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    bool wanted = PIN_SupportsProcessorState(PROCESSOR_STATE_ZMM);
    if (bad || runs != wanted)
        std::printf("%u wrong, %u runs\n", bad, runs);
    else
        std::printf("as it should be\n");
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

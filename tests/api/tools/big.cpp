/* SPDX-License-Identifier: Apache-2.0
 * A walk over a very large routine, in an image callback and inside the callback of an instruction, whose own objects stay. */
#include "golden.h"

static VOID Show(const char *text, ADDRINT pc) { std::printf("%s0x%lx\n", text, pc); }

static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "big");
    if (!RTN_Valid(rtn))
        return;
    UINT32 n = 0, bytes = 0;
    INS last = INS_Invalid();
    RTN_Open(rtn);
    for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins)) {
        n++;
        bytes += INS_Size(ins);
        last = ins;
    }
    INS_InsertCall(last, IPOINT_BEFORE, AFUNPTR(Show), IARG_PTR, "at the last one: ", IARG_INST_PTR, IARG_END);
    std::printf("%u instructions, %u bytes, the last is %s\n", n, bytes, INS_Mnemonic(last).c_str());
    RTN_Close(rtn);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!is_at(ins, "at_here"))
        return;
    RTN rtn = RTN_FindByAddress(at("at_ret"));
    RTN_Open(rtn);
    std::printf("inside a callback: %u instructions\n", RTN_NumIns(rtn));
    RTN_Close(rtn);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_PTR, "", IARG_INST_PTR, IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_InitSymbols();
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

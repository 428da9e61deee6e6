// SPDX-License-Identifier: Apache-2.0
// emuload: plain loads (mov register, memory) are not executed: the tool reads the memory and gives the register its value. An example of emulation; the program notices nothing, unless it counts on
// faults of its loads.
#include "region.h"

static UINT64 emulated, in_place;

template <typename T> static ADDRINT Load(const T *address)
{
    tool_count(&emulated);
    return *address;
}

// The analysis routine for a load of this size whose value fills a register, or NULL.
static AFUNPTR LoaderFor(INS ins)
{
    if (INS_Opcode(ins) != XED_ICLASS_MOV || !INS_OperandIsReg(ins, 0) || !INS_IsMemoryRead(ins) || !REG_is_gr(REG_FullRegName(INS_OperandReg(ins, 0))))
        return 0;
    if (REG_is_gr64(INS_OperandReg(ins, 0)))
        return AFUNPTR(Load<UINT64>);
    if (REG_is_gr32(INS_OperandReg(ins, 0)))
        return AFUNPTR(Load<UINT32>); // the upper half becomes zero
    return 0;
}

static VOID Instruction(INS ins, VOID *)
{
    AFUNPTR loader = LoaderFor(ins);
    if (loader) {
        INS_InsertCall(ins, IPOINT_BEFORE, loader, IARG_MEMORYREAD_EA, IARG_RETURN_REGS, REG_FullRegName(INS_OperandReg(ins, 0)), IARG_END);
        INS_Delete(ins);
    } else if (INS_IsMemoryRead(ins))
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(tool_count), IARG_PTR, &in_place, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    fprintf(out, "loads emulated: %lu\nother instructions that read memory: %lu\n", emulated, in_place);
    fflush(out);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    emulated = in_place = 0;
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by format top stack main image routine tid " TOOL_CONTROL, "an example of emulation: it counts what it emulates, everywhere"}, {NULL, NULL}};
    tool_refuses(refused);
    tool_start(argc, argv, "emuload: plain loads are emulated");
    region_start();
    INS_AddInstrumentFunction(Instruction, 0);
    tool_fini(Fini, TRUE, InChild);
    PIN_StartProgram();
}

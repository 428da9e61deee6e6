/* SPDX-License-Identifier: Apache-2.0
 * Arguments with a turn: an address after an instruction that leaves its registers alone, a reference to the instruction
 * pointer, the place of an operand that the tool has moved, and arguments of functions as their prototype has them. */
#include "golden.h"

static UINT64 moved = 77;
static ADDRINT sum;

static ADDRINT Elsewhere() { return ADDRINT(&moved); }
static VOID Sum(ADDRINT address) { sum += address; }
static VOID Say(const char *what, ADDRINT v) { std::printf("%s 0x%lx\n", what, v); }
static VOID Pc(const char *what, const ADDRINT *pc, ADDRINT is) { std::printf("%s%s\n", what, *pc == is ? "" : " is wrong"); }
static VOID Place(ADDRINT where, ADDRINT address) { std::printf("the operand is %s, its address 0x%lx\n", where == ADDRINT(&moved) ? "moved" : "not moved", address); }
static VOID Call(ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d) { std::printf("called with 0x%lx 0x%lx 0x%lx 0x%lx\n", a, b, c, d); }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_store")) {
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Say), IARG_PTR, "stored to", IARG_MEMORYWRITE_EA, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Sum), IARG_MEMORYOP_EA, 0, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Pc), IARG_PTR, "before", IARG_REG_CONST_REFERENCE, REG_INST_PTR, IARG_INST_PTR, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Pc), IARG_PTR, "after", IARG_REG_CONST_REFERENCE, REG_INST_PTR, IARG_FALLTHROUGH_ADDR, IARG_END);
    }
    if (is_at(ins, "at_load")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Elsewhere), IARG_RETURN_REGS, REG_INST_G0, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Place), IARG_MEMORYOP_PTR, 0, IARG_MEMORYOP_EA, 0, IARG_END);
        INS_RewriteMemoryOperand(ins, 0, REG_INST_G0);
    }
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "at_function");
    if (!RTN_Valid(rtn))
        return;
    PROTO p = PROTO_Allocate(PIN_PARG(void), CALLINGSTD_DEFAULT, "f", PIN_PARG(int), PIN_PARG(unsigned short), PIN_PARG(signed char), PIN_PARG(long), PIN_PARG_END());
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Call), IARG_PROTOTYPE, p, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_FUNCARG_ENTRYPOINT_VALUE, 2,
                   IARG_FUNCARG_ENTRYPOINT_VALUE, 3, IARG_END);
    RTN_Close(rtn);
    PROTO_Free(p);
}

static VOID Fini(INT32, VOID *) { Say("the same", sum); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * A register of the tool's that the thread start function sets in the context, as tools do that keep a pointer to thread data there. Rule A41. */
#include "golden.h"

static REG reg;
static UINT64 cell[2];

static VOID Start(THREADID, CONTEXT *context, INT32, VOID *) { PIN_SetContextReg(context, reg, reinterpret_cast<ADDRINT>(&cell[1])); }
static VOID Count(UINT64 *mine) { ++*mine; }
static VOID Show(ADDRINT value, const CONTEXT *context) { std::printf("%d %d\n", value == reinterpret_cast<ADDRINT>(&cell[1]), PIN_GetContextReg(context, reg) == value); }

static VOID Instruction(INS ins, VOID *)
{
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_REG_VALUE, reg, IARG_END);
    if (is_at(ins, "at_here"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_REG_VALUE, reg, IARG_CONST_CONTEXT, IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("%lu %lu\n", cell[0], cell[1]); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    reg = PIN_ClaimToolRegister();
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

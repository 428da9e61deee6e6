/* SPDX-License-Identifier: Apache-2.0
 * What a tool may ask at every instruction, also where there is nothing to be said: whether it branches, and whether it
 * is the first iteration of a REP. */
#include "golden.h"

#include <map>

static VOID Say(const char *what, BOOL taken, BOOL first) { std::printf("%s: taken %d, first %d\n", what, taken, first); }

/* By address, for the end: when an instruction is instrumented depends on how long traces are. */
static std::map<ADDRINT, std::string> facts;

/* A register that two operands name is read twice, or written twice; a REP is in the mnemonic, not in the opcode. */
static VOID Registers(INS ins)
{
    std::string text = INS_Mnemonic(ins) + " " + OPCODE_StringShort(INS_Opcode(ins)) + ": reads";
    for (UINT32 i = 0; i < INS_MaxNumRRegs(ins); i++)
        text += " " + REG_StringShort(INS_RegR(ins, i));
    text += ", writes";
    for (UINT32 i = 0; i < INS_MaxNumWRegs(ins); i++)
        text += " " + REG_StringShort(INS_RegW(ins, i));
    text += "; operands";
    for (UINT32 i = 0; i < INS_OperandCount(ins); i++)
        text += std::string(INS_OperandIsReg(ins, i) ? " register" : INS_OperandIsMemory(ins, i) ? " memory" : " other") + (INS_OperandIsImplicit(ins, i) ? "(implicit)" : "");
    facts[INS_Address(ins)] = text;
}

static VOID Fini(INT32, VOID *)
{
    for (std::map<ADDRINT, std::string>::iterator i = facts.begin(); i != facts.end(); ++i)
        std::printf("%s\n", i->second.c_str());
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_twice") || is_at(ins, "at_both") || is_at(ins, "at_push") || is_at(ins, "at_rep"))
        Registers(ins);
    static const char *const places[] = {"at_move", "at_store", "at_conditional", "at_branch", "at_rep"};
    for (unsigned i = 0; i < 5; i++)
        if (is_at(ins, places[i])) {
            const char *name = places[i];
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Say), IARG_PTR, name, IARG_BRANCH_TAKEN, IARG_FIRST_REP_ITERATION, IARG_END);
            if (INS_IsValidForIpointAfter(ins) && !INS_HasRealRep(ins))
                INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Say), IARG_PTR, "after it", IARG_BRANCH_TAKEN, IARG_FIRST_REP_ITERATION, IARG_END);
        }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Counts calls before and after each instruction from at_first to at_last; a taken branch has none after it but the fall-through. Rule A15. */
#include "golden.h"

#include <vector>

struct Count { ADDRINT pc; std::string name; unsigned long before, after; };
static std::vector<Count *> counts;

static VOID Add(unsigned long *n) { ++*n; }

static Count *count_of(INS ins)
{
    for (size_t i = 0; i < counts.size(); i++)
        if (counts[i]->pc == INS_Address(ins))
            return counts[i];
    Count *c = new Count{INS_Address(ins), INS_Mnemonic(ins), 0, 0};
    for (size_t i = 0; i < c->name.size(); i++)
        c->name[i] = (char)std::tolower(c->name[i]);
    counts.push_back(c);
    return c;
}

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    Count *c = count_of(ins);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Add), IARG_PTR, &c->before, IARG_END);
    if (INS_IsValidForIpointAfter(ins))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Add), IARG_PTR, &c->after, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    for (size_t i = 0; i < counts.size(); i++)
        std::printf("%s%s %lu %lu", i ? " " : "", counts[i]->name.c_str(), counts[i]->before, counts[i]->after);
    std::printf("\n");
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

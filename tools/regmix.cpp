// SPDX-License-Identifier: Apache-2.0
// regmix: how often instructions that read and that write each register were executed.
#include "mix.h"

#include <set>

static KNOB<BOOL> KnobParts(KNOB_MODE_WRITEONCE, "pintool", "parts", "0", "count parts of a register (eax, al) apart from it");

static REG Counted(REG reg) { return KnobParts ? reg : REG_FullRegName(reg); }

// A register that several operands name counts once.
static VOID Kinds(INS ins, Mix &mix)
{
    std::set<REG> read, written;
    for (UINT32 i = 0; i < INS_MaxNumRRegs(ins); i++)
        read.insert(Counted(INS_RegR(ins, i)));
    for (UINT32 i = 0; i < INS_MaxNumWRegs(ins); i++)
        written.insert(Counted(INS_RegW(ins, i)));
    mix["*total"]++;
    for (std::set<REG>::iterator r = read.begin(); r != read.end(); ++r)
        mix["read-" + REG_StringShort(*r)]++;
    for (std::set<REG>::iterator r = written.begin(); r != written.end(); ++r)
        mix["write-" + REG_StringShort(*r)]++;
}

int main(int argc, char **argv) { return mix_run(argc, argv, MixTool{"regmix", "how often instructions that read and that write each register were executed", "registers", "register", Kinds}); }

// SPDX-License-Identifier: Apache-2.0
// ldstmix: how many instructions load and store, how wide, and how many of them use the stack.
#include "mix.h"

static VOID Access(Mix &mix, const char *what, USIZE bytes, BOOL stack)
{
    char width[48];
    snprintf(width, sizeof width, "%s-%u", what, UINT32(bytes));
    mix[std::string("*") + what]++;
    mix[width]++;
    if (stack)
        mix[std::string("*") + what + "-stack"]++;
}

static VOID Kinds(INS ins, Mix &mix)
{
    mix["*total"]++;
    BOOL reads = FALSE, writes = FALSE;
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        if (INS_MemoryOperandIsRead(ins, i))
            Access(mix, "load", INS_MemoryOperandSize(ins, i), INS_IsStackRead(ins));
        if (INS_MemoryOperandIsWritten(ins, i))
            Access(mix, "store", INS_MemoryOperandSize(ins, i), INS_IsStackWrite(ins));
        reads |= INS_MemoryOperandIsRead(ins, i);
        writes |= INS_MemoryOperandIsWritten(ins, i);
    }
    mix[reads && writes ? "ins-both" : reads ? "ins-load" : writes ? "ins-store" : "ins-no-memory"]++;
}

int main(int argc, char **argv) { return mix_run(argc, argv, MixTool{"ldstmix", "how many instructions load and store, and how wide", "accesses", "access", Kinds}); }

// SPDX-License-Identifier: Apache-2.0
// opcodemix: how often each opcode was executed.
#include "mix.h"

static VOID Kinds(INS ins, Mix &mix)
{
    mix["*total"]++;
    mix[INS_Mnemonic(ins)]++;
}

int main(int argc, char **argv) { return mix_run(argc, argv, MixTool{"opcodemix", "how often each opcode was executed", "opcodes", "opcode", Kinds}); }

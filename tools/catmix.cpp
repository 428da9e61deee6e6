// SPDX-License-Identifier: Apache-2.0
// catmix: how often instructions of each category (or instruction set extension) were executed.
#include "mix.h"

static KNOB<BOOL> KnobExtension(KNOB_MODE_WRITEONCE, "pintool", "ext", "0", "by instruction set extension instead of category");

static VOID Kinds(INS ins, Mix &mix)
{
    mix["*total"]++;
    mix[KnobExtension ? EXTENSION_StringShort(INS_Extension(ins)) : CATEGORY_StringShort(INS_Category(ins))]++;
}

int main(int argc, char **argv) { return mix_run(argc, argv, MixTool{"catmix", "how often instructions of each category were executed", "categories", "category", Kinds}); }

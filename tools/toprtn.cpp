// SPDX-License-Identifier: Apache-2.0
// toprtn: for each routine how many instructions ran in it and in all that it called: profile's table, and in text nothing else.
#include "profiletool.h"

static KNOB<BOOL> KnobSelf(KNOB_MODE_WRITEONCE, "pintool", "self", "0", "sorted by the routine's own instructions");

int main(int argc, char **argv)
{
    return profile_run(argc, argv, ProfileTool{"toprtn", "instructions of each routine, alone and with all that it called", FALSE, &KnobSelf});
}

/* SPDX-License-Identifier: Apache-2.0
 * Code that has changed: where it began and ended before. Rule CC4. */
#include "golden.h"

static VOID Smc(ADDRINT start, ADDRINT end, VOID *) { std::printf("changed: 0x%lx, %lu bytes\n", start, end - start); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    TRACE_AddSmcDetectedFunction(Smc, 0);
    PIN_StartProgram();
}

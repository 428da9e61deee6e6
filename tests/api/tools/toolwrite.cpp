/* SPDX-License-Identifier: Apache-2.0
 * The tool writes into code of the application: 5, then 7, 20 and 30 come back from the function, 62 in all. */
#include "golden.h"

#include <sys/uio.h>

static UINT8 *const code = (UINT8 *)0x20000000;

static VOID Store() { *(volatile UINT8 *)(code + 1) = 7; }

static VOID Copy()
{
    UINT8 v = 20;
    if (PIN_SafeCopy(code + 1, &v, 1) != 1)
        std::printf("not copied\n");
}

static VOID Instruction(INS ins, VOID *)
{
    static bool done;
    if (is_at(ins, "at_store"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Store), IARG_END);
    if (is_at(ins, "at_copy"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Copy), IARG_END);
    if (is_at(ins, "at_instrumented") && !done) {
        done = true;
        *(volatile UINT8 *)(code + 1) = 30;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

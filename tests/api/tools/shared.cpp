/* SPDX-License-Identifier: Apache-2.0
 * Guest private: a counter that threads share without a lock is exact nevertheless. */
#include "golden.h"

static const UINT64 all = 2 * 4 * 200 * 5000ul; /* of the guest */
static UINT64 shared;

static VOID Count(UINT32 n) { shared += n; }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_loop"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_UINT32, 3, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    if (shared == 3 * all)
        std::printf("exact\n");
    else
        std::printf("%lu of %lu\n", shared, 3 * all);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

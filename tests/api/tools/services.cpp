/* SPDX-License-Identifier: Apache-2.0
 * The auxiliary vector, memory that runs out, fini functions that are taken away. */
#include "golden.h"

#include <elf.h>

static VOID RanOut(size_t bytes, VOID *) { std::printf("out of memory: %lu bytes\n", (unsigned long)bytes); }
static VOID Never(INT32, VOID *) { std::printf("was taken away\n"); }

static VOID Fini(INT32, VOID *)
{
    const ADDRINT *own = (const ADDRINT *)at("at_values");
    bool found[3], none = true;
    ADDRINT value[3] = {PIN_GetAuxVectorValue(AT_ENTRY, &found[0]), PIN_GetAuxVectorValue(AT_PHDR, &found[1]), PIN_GetAuxVectorValue(AT_PAGESZ, &found[2])};
    ADDRINT missing = PIN_GetAuxVectorValue(9999, &none);
    std::printf("auxv %d %d %d, none %d %lu\n", found[0] && value[0] == own[0], found[1] && value[1] == own[1], found[2] && value[2] == own[2], none, missing);
    volatile size_t huge = 1ul << 45;
    if (!std::malloc(huge))
        std::printf("malloc gave nothing\n");
    std::printf("fini\n");
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_AddFiniFunction(Never, 0);
    PIN_RemoveFiniFunctions();
    PIN_AddFiniFunction(Fini, 0);
    PIN_AddOutOfMemoryFunction(RanOut, 0);
    PIN_StartProgram();
}

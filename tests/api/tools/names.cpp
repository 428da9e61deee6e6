/* SPDX-License-Identifier: Apache-2.0
 * The routines of the program, in the order of their addresses, and what their names mean. */
#include "golden.h"

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); rtn = RTN_Next(rtn))
            std::printf("0x%lx, %lu bytes: %s\n", RTN_Address(rtn), (unsigned long)RTN_Size(rtn), RTN_Name(rtn).c_str());
    for (const char *name : {"a", "longer_and_global", "sized"}) {
        RTN rtn = RTN_FindByName(img, name);
        std::printf("%s: 0x%lx\n", name, RTN_Valid(rtn) ? RTN_Address(rtn) : 0);
    }
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}

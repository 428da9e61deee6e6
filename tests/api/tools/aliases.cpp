/* SPDX-License-Identifier: Apache-2.0
 * Options that every tool has: -short_name, by which a routine has the shortest of its names, and -dwarf_file, which
 * gives an image the debug information of another file. */
#include "golden.h"

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    std::string file;
    INT32 line = 0;
    PIN_GetSourceLocation(at("at_function"), 0, &line, &file);
    std::printf("%s, %s\n", RTN_FindNameByAddress(at("at_function")).c_str(), line ? "a line" : "no line");
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * PIN_InitSymbolsAlt(IFUNC_SYMBOLS), and nothing else: ordinary functions have their names, and so has a function that
 * is chosen when the program starts. */
#include "golden.h"

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    static const char *const names[] = {"main", "pick_fast", "choose", "pick", "none"};
    for (unsigned i = 0; i < 5; i++) {
        RTN rtn = RTN_FindByName(img, names[i]);
        std::printf("%s: %s\n", names[i], !RTN_Valid(rtn) ? "not there" : SYM_IFuncResolver(RTN_Sym(rtn)) ? "chosen at the start" : "a function");
    }
}

int main(int argc, char **argv)
{
    PIN_InitSymbolsAlt(IFUNC_SYMBOLS);
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}

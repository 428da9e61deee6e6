/* SPDX-License-Identifier: Apache-2.0
 * IMG_Name is the name by which a library was opened, not that of the file to which a link of that name leads. */
#include "golden.h"

static VOID Image(IMG img, VOID *)
{
    std::string name = IMG_Name(img);
    if (name.find("stdc++") != std::string::npos)
        std::printf("%s\n", name.substr(name.rfind('/') + 1).c_str());
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * IMG_Name is the path by which the loader has opened a library, not that of the file to which links of that path lead:
 * the program asks its loader for the names, and the tool must have the same. */
#include "golden.h"
#include <set>

static std::set<std::string> names;

static VOID Image(IMG img, VOID *)
{
    std::string name = IMG_Name(img);
    names.insert(name);
    if (name.find("stdc++") != std::string::npos)
        std::printf("%s\n", name.substr(name.rfind('/') + 1).c_str());
}

static VOID Named(const char *name)
{
    if (*name == '/' && !names.count(name))
        std::printf("the loader has opened %s\n", name);
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_named"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Named), IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_END);
}

static VOID Fini(INT32, VOID *) { std::printf("%s\n", names.size() > 4 ? "several images" : "few images"); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

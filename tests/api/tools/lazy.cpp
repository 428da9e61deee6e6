/* SPDX-License-Identifier: Apache-2.0
 * How much of the program's file has been read into this process (resident pages of its mappings): at the first image callback, after a routine was looked up, after a line was. */
#include "golden.h"

static unsigned long ResidentKb(const std::string &path)
{
    static char line[8192];
    unsigned long sum = 0, kb;
    bool mine = false;
    FILE *f = std::fopen("/proc/self/smaps", "r");
    while (f && std::fgets(line, sizeof line, f)) {
        unsigned long a, b;
        if (std::sscanf(line, "%lx-%lx ", &a, &b) == 2)
            mine = std::strstr(line, path.c_str()) != 0;
        else if (mine && std::sscanf(line, "Rss: %lu", &kb) == 1)
            sum += kb;
    }
    if (f)
        std::fclose(f);
    return sum;
}

static VOID Load(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    std::string name = IMG_Name(img);
    std::printf("loaded %lu\n", ResidentKb(name));
    RTN rtn = RTN_FindByName(img, "main");
    std::printf("%s %lu\n", RTN_Valid(rtn) ? RTN_Name(rtn).c_str() : "no main", ResidentKb(name));
    INT32 line = 0;
    std::string file;
    PIN_GetSourceLocation(RTN_Address(rtn), 0, &line, &file);
    std::printf("line %d of %s %lu\n", line, file.substr(file.rfind('/') + 1).c_str(), ResidentKb(name));
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Load, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * A tool that keeps a megabyte for each call of the program's function `eat`, in blocks of the size that -block gives. Its
 * results are in a file. With -limit it limits its process' address space, and gives all back when it runs out. */
#include "pin.H"

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <vector>

static KNOB<std::string> KnobOutput(KNOB_MODE_WRITEONCE, "pintool", "o", "hungry.out", "file for the results");
static KNOB<UINT32> KnobBlock(KNOB_MODE_WRITEONCE, "pintool", "block", "1048576", "bytes of a block");
static KNOB<UINT32> KnobLimit(KNOB_MODE_WRITEONCE, "pintool", "limit", "0", "megabytes that the process may have");
static std::vector<char *> *kept;
static FILE *out;

static VOID Eat()
{
    for (UINT32 n = 0; n < 1048576; n += KnobBlock)
        kept->push_back(new char[KnobBlock]());
}
static VOID Image(IMG img, VOID *)
{
    RTN rtn = RTN_FindByName(img, "eat");
    if (!RTN_Valid(rtn))
        return;
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Eat), IARG_END);
    RTN_Close(rtn);
}
/* With memory of its own for what it does. Under a limit of its own that memory is there only when some is given back. */
static VOID RanOut(size_t bytes, VOID *)
{
    if (KnobLimit) {
        for (char *block : *kept)
            delete[] block;
        kept->clear();
    }
    std::vector<char> some(100000);
    std::fprintf(out, "ran out at %lu bytes\n", bytes);
    std::fflush(out);
}

static VOID Never(size_t, VOID *) { std::fprintf(out, "a function whose place another one has taken\n"); }

static bool Limit(UINT64 bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit))
        return false;
    limit.rlim_cur = bytes;
    return setrlimit(RLIMIT_AS, &limit) == 0 && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == bytes;
}

static VOID Fini(INT32, VOID *)
{
    std::fprintf(out, "end\n");
    std::fflush(out);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    kept = new std::vector<char *>;
    kept->reserve(300000); /* so that it never wants memory while it is cleared */
    if (KnobLimit && !Limit(UINT64(KnobLimit) << 20))
        return 1;
    out = std::fopen(KnobOutput.Value().c_str(), "w");
    PIN_AddOutOfMemoryFunction(Never, 0);
    PIN_AddOutOfMemoryFunction(RanOut, 0);
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

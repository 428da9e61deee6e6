// SPDX-License-Identifier: Apache-2.0
// dcache: a data cache with LRU replacement that allocates on writes. An older name of cache -machine dcache, with one sum for the whole program. All of it is in cachetool.h.
#include "cachetool.h"

static KNOB<UINT32> KnobSize(KNOB_MODE_WRITEONCE, "pintool", "size", "32", "size in KiB");
static KNOB<UINT32> KnobLine(KNOB_MODE_WRITEONCE, "pintool", "line", "64", "bytes in a line");
static KNOB<UINT32> KnobWays(KNOB_MODE_WRITEONCE, "pintool", "ways", "8", "lines in a set");

static std::string Shape() { return decstr(KnobSize.Value()) + "," + decstr(KnobWays.Value()) + "," + decstr(KnobLine.Value()); }

int main(int argc, char **argv)
{
    cache_first_level = Shape;
    cache_machine = "dcache";
    return cache_run(argc, argv, WhereTool{"dcache", "a data cache", "", "20", "callgrind folded speedscope"});
}

// SPDX-License-Identifier: Apache-2.0
// dcache: a data cache with LRU replacement that allocates on writes, and how well it does. One for each thread, as if each had a core of its own.
#include "cache.h"
#include "memory.h"

static KNOB<UINT32> KnobSize(KNOB_MODE_WRITEONCE, "pintool", "size", "32", "size in KiB");
static KNOB<UINT32> KnobLine(KNOB_MODE_WRITEONCE, "pintool", "line", "64", "bytes in a line");
static KNOB<UINT32> KnobWays(KNOB_MODE_WRITEONCE, "pintool", "ways", "8", "lines in a set");

struct Core {
    Cache *cache;
    UINT64 accesses[2], misses[2]; // reads, writes
};
static Core cores[PIN_MAX_THREADS];

// One access, though it may touch two lines: a miss in either is a miss.
static VOID Look(THREADID tid, ADDRINT address, UINT32 bytes, UINT32 write)
{
    Core *c = &cores[tid];
    c->accesses[write]++;
    c->misses[write] += !c->cache->Access(address, bytes);
}

static VOID Row(const char *name, UINT64 all, UINT64 missed)
{
    fprintf(out, "%-8s %15lu accesses %15lu misses %7.3f%%\n", name, all, missed, tool_percent(missed, all));
}

static VOID Fini(INT32, VOID *)
{
    UINT64 accesses[2] = {0, 0}, misses[2] = {0, 0};
    for (UINT32 t = 0; t < PIN_MAX_THREADS; t++)
        for (int write = 0; write < 2; write++) {
            accesses[write] += cores[t].accesses[write];
            misses[write] += cores[t].misses[write];
        }
    fprintf(out, "%u KiB, %u ways, lines of %u bytes\n", KnobSize.Value(), KnobWays.Value(), KnobLine.Value());
    Row("reads", accesses[0], misses[0]);
    Row("writes", accesses[1], misses[1]);
    Row("all", accesses[0] + accesses[1], misses[0] + misses[1]);
    fflush(out);
}

static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *)
{
    delete cores[tid].cache; // of a thread that had the same number
    cores[tid].cache = new Cache(KnobSize.Value() * 1024ul, KnobWays, KnobLine);
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "dcache: a data cache");
    region_start();
    if (!Cache::Fits(KnobSize.Value() * 1024ul, KnobWays, KnobLine)) {
        fprintf(stderr, "E: dcache: line and number of sets (size / line / ways) must be powers of two\n");
        return 1;
    }
    memory_watch(0, AFUNPTR(Look));
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// dcache: a data cache with LRU replacement that allocates on writes, and how well it does. One for each thread, as if each had a core of its own.
#include "memory.h"

static KNOB<UINT32> KnobSize(KNOB_MODE_WRITEONCE, "pintool", "size", "32", "size in KiB");
static KNOB<UINT32> KnobLine(KNOB_MODE_WRITEONCE, "pintool", "line", "64", "bytes in a line");
static KNOB<UINT32> KnobWays(KNOB_MODE_WRITEONCE, "pintool", "ways", "8", "lines in a set");

struct Cache {
    ADDRINT *tags; // of each set, the last used first; a tag is the line's number + 1
    UINT64 accesses[2], misses[2]; // reads, writes
};
static UINT32 line_shift, sets, ways;
static Cache caches[PIN_MAX_THREADS];

// The line goes to the front of its set and pushes the others back, up to where it was; the last one falls out when it was nowhere.
static BOOL Touch(Cache *c, ADDRINT line)
{
    ADDRINT *set = c->tags + (line & (sets - 1)) * ways, moved = line + 1;
    for (UINT32 way = 0; way < ways; way++) {
        ADDRINT old = set[way];
        set[way] = moved;
        moved = old;
        if (old == line + 1)
            return TRUE;
    }
    return FALSE;
}

// One access, though it may touch two lines: a miss in either is a miss.
static VOID Look(THREADID tid, ADDRINT address, UINT32 bytes, UINT32 write)
{
    Cache *c = &caches[tid];
    BOOL hit = TRUE;
    for (ADDRINT line = address >> line_shift; line <= (address + bytes - 1) >> line_shift; line++)
        hit &= Touch(c, line);
    c->accesses[write]++;
    c->misses[write] += !hit;
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
            accesses[write] += caches[t].accesses[write];
            misses[write] += caches[t].misses[write];
        }
    fprintf(out, "%u KiB, %u ways, lines of %u bytes\n", KnobSize.Value(), ways, 1u << line_shift);
    Row("reads", accesses[0], misses[0]);
    Row("writes", accesses[1], misses[1]);
    Row("all", accesses[0] + accesses[1], misses[0] + misses[1]);
    fflush(out);
}

static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *)
{
    free(caches[tid].tags); // of a thread that had the same number
    caches[tid].tags = static_cast<ADDRINT *>(calloc(sets * ways, sizeof(ADDRINT)));
    if (!caches[tid].tags) {
        fprintf(stderr, "E: dcache: no memory for the cache of thread %u\n", tid);
        PIN_ExitProcess(1);
    }
}

static VOID CheckShape()
{
    UINT32 line = KnobLine;
    ways = KnobWays;
    sets = ways && line ? KnobSize.Value() * 1024 / line / ways : 0;
    if (!sets || (sets & (sets - 1)) || (line & (line - 1)) || sets * line * ways != KnobSize.Value() * 1024) {
        fprintf(stderr, "E: dcache: line and number of sets (size / line / ways) must be powers of two\n");
        exit(1);
    }
    while (1u << line_shift < line)
        line_shift++;
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "dcache: a data cache");
    CheckShape();
    memory_watch(0, AFUNPTR(Look));
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// allcache: a whole memory hierarchy: TLBs and first-level caches for instructions and data, one set for each thread, and up to two levels of cache below that all share.
#include "cache.h"
#include "memory.h"

static KNOB<std::string> KnobItlb(KNOB_MODE_WRITEONCE, "pintool", "itlb", "64,8", "instruction TLB: entries,ways (pages of 4 KiB)");
static KNOB<std::string> KnobDtlb(KNOB_MODE_WRITEONCE, "pintool", "dtlb", "64,4", "data TLB: entries,ways");
static KNOB<std::string> KnobL1i(KNOB_MODE_WRITEONCE, "pintool", "l1i", "32,8,64", "instruction cache: KiB,ways,bytes in a line");
static KNOB<std::string> KnobL1d(KNOB_MODE_WRITEONCE, "pintool", "l1d", "32,8,64", "data cache: KiB,ways,bytes in a line");
static KNOB<std::string> KnobL2(KNOB_MODE_WRITEONCE, "pintool", "l2", "1024,16,64", "second level: KiB,ways,bytes in a line");
static KNOB<std::string> KnobL3(KNOB_MODE_WRITEONCE, "pintool", "l3", "16384,16,64", "third level: KiB,ways,bytes in a line (0: none)");

enum Unit { ITLB, DTLB, L1I, L1D, L2, L3, UNITS };
static const UINT32 PRIVATE = L2; // those before are each thread's own
static const char *const names[] = {"itlb", "dtlb", "l1i", "l1d", "l2", "l3"};
static KNOB<std::string> *const knobs[] = {&KnobItlb, &KnobDtlb, &KnobL1i, &KnobL1d, &KnobL2, &KnobL3};

struct Shape {
    UINT64 bytes;
    UINT32 ways, line;
};
static Shape shapes[UNITS];

struct Counts {
    UINT64 accesses, misses;
};
struct Core {
    Cache *unit[PRIVATE];
    Counts counts[PRIVATE];
};
static Core cores[PIN_MAX_THREADS];
static Cache *shared[UNITS];
static Counts shared_counts[UNITS];
static PIN_LOCK lock; // shared caches

static BOOL Look(Cache *cache, Counts *counts, ADDRINT address, UINT32 bytes)
{
    BOOL hit = cache->Access(address, bytes);
    counts->accesses++;
    counts->misses += !hit;
    return hit;
}

// What misses at one level is looked up at the next, whole.
static VOID Access(THREADID tid, Unit tlb, Unit first, ADDRINT address, UINT32 bytes)
{
    Core *c = &cores[tid];
    Look(c->unit[tlb], &c->counts[tlb], address, bytes);
    if (Look(c->unit[first], &c->counts[first], address, bytes))
        return;
    Locked locked(&lock);
    if (!Look(shared[L2], &shared_counts[L2], address, bytes) && shared[L3])
        Look(shared[L3], &shared_counts[L3], address, bytes);
}

static VOID Data(THREADID tid, ADDRINT address, UINT32 bytes, UINT32) { Access(tid, DTLB, L1D, address, bytes); }
static VOID Fetch(THREADID tid, ADDRINT address, UINT32 bytes) { Access(tid, ITLB, L1I, address, bytes); }

static VOID Instruction(INS ins, VOID *)
{
    REGION_CALL(ins, AFUNPTR(Fetch), IARG_THREAD_ID, IARG_INST_PTR, IARG_UINT32, UINT32(INS_Size(ins)), IARG_END);
}

static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *)
{
    for (UINT32 u = 0; u < PRIVATE; u++) {
        delete cores[tid].unit[u]; // of a thread that had the same number
        cores[tid].unit[u] = new Cache(shapes[u].bytes, shapes[u].ways, shapes[u].line);
    }
}

static VOID Fini(INT32, VOID *)
{
    for (UINT32 t = 0; t < PIN_MAX_THREADS; t++)
        for (UINT32 u = 0; u < PRIVATE; u++) {
            shared_counts[u].accesses += cores[t].counts[u].accesses;
            shared_counts[u].misses += cores[t].counts[u].misses;
        }
    for (UINT32 u = 0; u < UNITS; u++)
        if (shapes[u].bytes)
            fprintf(out, "%-5s %15lu accesses %15lu misses %7.3f%%\n", names[u], shared_counts[u].accesses, shared_counts[u].misses, tool_percent(shared_counts[u].misses, shared_counts[u].accesses));
    fflush(out);
}

static VOID ReadShape(UINT32 u)
{
    BOOL tlb = u == ITLB || u == DTLB;
    UINT32 size = 0, ways = 0, line = 4096;
    int read = sscanf(knobs[u]->Value().c_str(), tlb ? "%u,%u" : "%u,%u,%u", &size, &ways, &line);
    Shape shape = {UINT64(size) * (tlb ? 4096 : 1024), ways, line};
    if (u == L3 && read == 1 && !size)
        return;
    if (read != (tlb ? 2 : 3) || !Cache::Fits(shape.bytes, ways, line)) {
        fprintf(stderr, "E: allcache: -%s %s: wrong, or the line or the number of sets (size / line / ways) is no power of two\n", names[u], knobs[u]->Value().c_str());
        exit(1);
    }
    shapes[u] = shape;
    if (u >= PRIVATE)
        shared[u] = new Cache(shape.bytes, ways, line);
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "allcache: TLBs and several levels of cache");
    region_start();
    for (UINT32 u = 0; u < UNITS; u++)
        ReadShape(u);
    PIN_InitLock(&lock);
    INS_AddInstrumentFunction(Instruction, 0);
    memory_watch(0, AFUNPTR(Data));
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

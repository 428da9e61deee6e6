// SPDX-License-Identifier: Apache-2.0
// bbv: basic-block vectors. For every interval of a thread's instructions, how many of them were executed in each basic block: what `linchpin points` finds simulation points from.
// With -figures, also what a simulator would tell of each (figures.h), from which `linchpin points` says how well its points foretell the whole run.
#include "figures.h"
#include "region.h"

#include <stdio_ext.h>
#include <sys/mman.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

static KNOB<std::string> KnobPrefix(KNOB_MODE_WRITEONCE, "pintool", "vectors", "bbv", "the files are NAME.T.0.bb for thread 0 and so on, and NAME.blocks; %p is the process number");
static KNOB<UINT64> KnobInterval(KNOB_MODE_WRITEONCE, "pintool", "interval", "100000000", "instructions in an interval");
static KNOB<BOOL> KnobFigures(KNOB_MODE_WRITEONCE, "pintool", "figures", "0", "also NAME.T.0.figures.csv: for each interval its mix, cache misses, mispredicted branches, and cycles made up from them");

static const UINT64 MOST_BLOCKS = 1 << 22; // room for them is reserved for each thread; it takes memory only where it is used

// A thread's vector in the making. An interval ends with the block that brings the thread to the next multiple of the interval's length.
struct Thread {
    INT64 left;      // instructions until then
    UINT64 *counts;  // by block: instructions executed
    FILE *file, *figures; // figures: NULL without -figures
    UINT64 intervals, instructions;
    Machine machine;
};

struct Block {
    ADDRINT address;
    UINT32 instructions, bytes;
    std::string name; // image+offset, the same in every run
    Kinds kinds;      // of its instructions, with -figures
};
static std::vector<Block> blocks(1); // numbers begin with 1
static std::unordered_map<ADDRINT, UINT32> current;
static REG self, machine; // tool registers: the thread's Thread, and its Machine
static std::string prefix;
static std::vector<Thread *> live; // client lock
static UINT64 sum_intervals, sum_instructions, threads;

// --- analysis -----------------------------------------------------------------------------------------------------------

static ADDRINT PIN_FAST_ANALYSIS_CALL Execute(Thread *t, UINT32 block, UINT32 instructions)
{
    t->counts[block] += instructions;
    t->left -= instructions;
    return t->left <= 0;
}

// The figures since the last row; kinds of instructions are known from the blocks' counters.
static VOID WriteFigures(Thread *t, UINT64 instructions, const UINT64 *kinds)
{
    UINT64 *counts = t->machine.counts;
    std::copy(kinds, kinds + KINDS, counts);
    counts[CYCLES] += instructions;
    fprintf(t->figures, "%lu,%lu", t->instructions, instructions);
    for (UINT32 f = 0; f < FIGURES; f++) {
        fprintf(t->figures, ",%lu", counts[f]);
        counts[f] = 0;
    }
    fputc('\n', t->figures);
}

static VOID WriteVector(Thread *t)
{
    UINT64 n = blocks.size(), instructions = 0, kinds[KINDS] = {0};
    for (UINT64 i = 1; i < n; i++) {
        UINT64 count = t->counts[i];
        if (!count)
            continue;
        fprintf(t->file, "%s:%lu:%lu", instructions ? " " : "T", i, count);
        for (UINT32 k = 0; k < KINDS; k++)
            kinds[k] += count / blocks[i].instructions * blocks[i].kinds.n[k];
        instructions += count;
        t->counts[i] = 0;
    }
    if (!instructions)
        return;
    fputc('\n', t->file);
    if (t->figures)
        WriteFigures(t, instructions, kinds);
    t->intervals++;
    t->instructions += instructions;
}

// The blocks' number changes under the client lock only.
static VOID EndInterval(Thread *t)
{
    PIN_LockClient();
    WriteVector(t);
    PIN_UnlockClient();
    t->left += INT64(KnobInterval.Value());
}

// --- instrumentation ----------------------------------------------------------------------------------------------------

static std::string NameOf(ADDRINT address, UINT32 bytes)
{
    IMG img = IMG_FindByAddress(address);
    char text[64];
    snprintf(text, sizeof text, "%s0x%lx/%u", IMG_Valid(img) ? "+" : "", IMG_Valid(img) ? address - IMG_LowAddress(img) : address, bytes);
    return (IMG_Valid(img) ? IMG_Name(img) : "") + text;
}

// Code that has changed, or an image in another's place, is another block; so is one that begins at the same place and ends elsewhere.
static UINT32 NumberOf(BBL bbl)
{
    ADDRINT address = BBL_Address(bbl);
    UINT32 bytes = BBL_Size(bbl);
    auto at = current.find(address);
    if (at != current.end() && blocks[at->second].bytes == bytes && blocks[at->second].instructions == BBL_NumIns(bbl))
        return at->second;
    if (blocks.size() == MOST_BLOCKS) {
        fprintf(stderr, "E: bbv: the program has more than %lu blocks\n", MOST_BLOCKS - 1);
        PIN_ExitProcess(1);
    }
    current[address] = UINT32(blocks.size());
    blocks.push_back(Block{address, BBL_NumIns(bbl), bytes, NameOf(address, bytes), {}});
    if (KnobFigures)
        figures_kinds(bbl, &blocks.back().kinds);
    return UINT32(blocks.size() - 1);
}

static VOID Instrument(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        BBL_InsertIfCall(bbl, IPOINT_BEFORE, AFUNPTR(Execute), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, self, IARG_UINT32, NumberOf(bbl), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
        BBL_InsertThenCall(bbl, IPOINT_BEFORE, AFUNPTR(EndInterval), IARG_REG_VALUE, self, IARG_END);
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins) && KnobFigures; ins = INS_Next(ins))
            figures_instrument(ins, machine, ins == BBL_InsHead(bbl));
    }
}

static VOID Unload(IMG img, VOID *)
{
    for (auto at = current.begin(); at != current.end();)
        at = at->first >= IMG_LowAddress(img) && at->first <= IMG_HighAddress(img) ? current.erase(at) : std::next(at);
}

// --- files --------------------------------------------------------------------------------------------------------------

static FILE *Open(const std::string &path)
{
    FILE *f = tool_try_open(path);
    if (!f) {
        fprintf(stderr, "E: bbv: %s: %s\n", path.c_str(), strerror(errno));
        PIN_ExitProcess(1);
    }
    return f;
}

// A thread's files, and a machine that knows nothing yet.
static VOID Begin(Thread *t, THREADID tid)
{
    std::string name = prefix + ".T." + decstr(tid);
    t->left = INT64(KnobInterval.Value());
    t->intervals = t->instructions = 0;
    t->file = Open(name + ".bb");
    if (!KnobFigures)
        return;
    t->figures = Open(name + ".figures.csv");
    fprintf(t->figures, "start,instructions");
    for (UINT32 f = 0; f < FIGURES; f++)
        fprintf(t->figures, ",%s", figure_names[f]);
    fputc('\n', t->figures);
}

static VOID Close(FILE *f, BOOL discard)
{
    if (!f)
        return;
    if (discard)
        __fpurge(f);
    fclose(f);
}

static VOID WriteBlocks()
{
    FILE *f = Open(prefix + ".blocks");
    fprintf(f, "# number\taddress\tinstructions\tbytes\tname\n");
    for (size_t i = 1; i < blocks.size(); i++)
        fprintf(f, "%zu\t0x%lx\t%u\t%u\t%s\n", i, blocks[i].address, blocks[i].instructions, blocks[i].bytes, blocks[i].name.c_str());
    fclose(f);
}

// The last interval of a thread is shorter than the others; of a program that goes on, only whole ones are told.
static VOID Results(const lp_results_info *info)
{
    UINT64 intervals = sum_intervals, instructions = sum_instructions;
    for (Thread *t : live) {
        if (info->why != LP_RESULTS_DUMP)
            WriteVector(t);
        fflush(t->file);
        if (t->figures)
            fflush(t->figures);
        intervals += t->intervals;
        instructions += t->instructions;
    }
    WriteBlocks();
    fprintf(out, "%lu instructions in %lu intervals of %lu threads, %zu blocks: %s.T.*.bb\n", instructions, intervals, threads, blocks.size() - 1, prefix.c_str());
}

// --- threads ------------------------------------------------------------------------------------------------------------

static VOID Start(THREADID tid, CONTEXT *context, INT32, VOID *)
{
    Thread *t = new Thread();
    VOID *room = mmap(NULL, MOST_BLOCKS * sizeof *t->counts, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        fprintf(stderr, "E: bbv: no memory for the blocks of thread %u: %s\n", tid, strerror(errno));
        PIN_ExitProcess(1);
    }
    t->counts = static_cast<UINT64 *>(room);
    Begin(t, tid);
    if (KnobFigures)
        t->machine.Begin();
    PIN_LockClient();
    live.push_back(t);
    threads++;
    PIN_UnlockClient();
    PIN_SetContextReg(context, self, ADDRINT(t));
    PIN_SetContextReg(context, machine, ADDRINT(&t->machine));
}

static VOID End(THREADID, const CONTEXT *context, INT32, VOID *)
{
    Thread *t = reinterpret_cast<Thread *>(PIN_GetContextReg(context, self));
    if (!t)
        return;
    PIN_LockClient();
    WriteVector(t);
    sum_intervals += t->intervals;
    sum_instructions += t->instructions;
    live.erase(std::find(live.begin(), live.end(), t));
    PIN_UnlockClient();
    Close(t->file, FALSE);
    Close(t->figures, FALSE);
    munmap(t->counts, MOST_BLOCKS * sizeof *t->counts);
    delete t;
}

// A child of fork begins with nothing, and has files of its own; its machine knows what it knew.
static VOID InChild(THREADID tid, const CONTEXT *context, VOID *)
{
    Thread *t = reinterpret_cast<Thread *>(PIN_GetContextReg(context, self));
    prefix = tool_path(KnobPrefix);
    sum_intervals = sum_instructions = 0;
    threads = 1;
    live.assign(1, t);
    Close(t->file, TRUE);
    Close(t->figures, TRUE);
    madvise(t->counts, MOST_BLOCKS * sizeof *t->counts, MADV_DONTNEED);
    std::fill(t->machine.counts, t->machine.counts + FIGURES, 0);
    Begin(t, tid);
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by format top stack", "vectors are by block, in the form that linchpin points reads"}, {"main image routine tid " TOOL_CONTROL, "an interval is so many of all instructions of a thread"}, {NULL, NULL}};
    tool_refuses(refused);
    tool_start(argc, argv, "bbv: basic-block vectors");
    region_start();
    self = PIN_ClaimToolRegister();
    machine = PIN_ClaimToolRegister();
    prefix = tool_path(KnobPrefix);
    if (!KnobInterval.Value() || KnobInterval.Value() > UINT64(1) << 62) {
        fprintf(stderr, "E: bbv: -interval must be at least 1\n");
        return 1;
    }
    if (!figures_shapes()) {
        fprintf(stderr, "E: bbv: -l1, -l2 and -l3 want KiB,ways that make whole sets of lines of 64 bytes, as 32,8\n");
        return 1;
    }
    TRACE_AddInstrumentFunction(Instrument, 0);
    IMG_AddUnloadFunction(Unload, 0);
    PIN_AddThreadStartFunction(Start, 0);
    PIN_AddThreadFiniFunction(End, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, InChild, 0);
    tool_results(Results, NULL);
    PIN_StartProgram();
}

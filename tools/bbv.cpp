// SPDX-License-Identifier: Apache-2.0
// bbv: basic-block vectors. For every interval of a thread's instructions, how many of them were executed in each basic block: what `linchpin points` finds simulation points from.
#include "tool.h"

#include <stdio_ext.h>
#include <sys/mman.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

static KNOB<std::string> KnobPrefix(KNOB_MODE_WRITEONCE, "pintool", "vectors", "bbv", "the files are NAME.T.0.bb for thread 0 and so on, and NAME.blocks; %p is the process number");
static KNOB<UINT64> KnobInterval(KNOB_MODE_WRITEONCE, "pintool", "interval", "100000000", "instructions in an interval");

static const UINT64 MOST_BLOCKS = 1 << 22; // room for them is reserved for each thread; it takes memory only where it is used

// A thread's vector in the making. An interval ends with the block that brings the thread to the next multiple of the interval's length.
struct Thread {
    INT64 left;      // instructions until then
    UINT64 *counts;  // by block: instructions executed
    FILE *file;
    UINT64 intervals, instructions;
};

struct Block {
    ADDRINT address;
    UINT32 instructions, bytes;
    std::string name; // image+offset, the same in every run
};
static std::vector<Block> blocks(1); // numbers begin with 1
static std::unordered_map<ADDRINT, UINT32> current;
static REG self; // tool register: the thread's Thread
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

static VOID WriteVector(Thread *t)
{
    BOOL any = FALSE;
    UINT64 n = blocks.size();
    for (UINT64 i = 1; i < n; i++) {
        if (!t->counts[i])
            continue;
        fprintf(t->file, "%s:%lu:%lu", any ? " " : "T", i, t->counts[i]);
        t->instructions += t->counts[i];
        t->counts[i] = 0;
        any = TRUE;
    }
    if (any)
        fputc('\n', t->file);
    t->intervals += any;
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
    blocks.push_back(Block{address, BBL_NumIns(bbl), bytes, NameOf(address, bytes)});
    return UINT32(blocks.size() - 1);
}

static VOID Instrument(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        BBL_InsertIfCall(bbl, IPOINT_BEFORE, AFUNPTR(Execute), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, self, IARG_UINT32, NumberOf(bbl), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
        BBL_InsertThenCall(bbl, IPOINT_BEFORE, AFUNPTR(EndInterval), IARG_REG_VALUE, self, IARG_END);
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

static FILE *OpenVectors(THREADID tid) { return Open(prefix + ".T." + decstr(tid) + ".bb"); }

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
        intervals += t->intervals;
        instructions += t->instructions;
    }
    WriteBlocks();
    fprintf(out, "%lu instructions in %lu intervals of %lu threads, %zu blocks: %s.T.*.bb\n", instructions, intervals, threads, blocks.size() - 1, prefix.c_str());
}

// --- threads ------------------------------------------------------------------------------------------------------------

static VOID Start(THREADID tid, CONTEXT *context, INT32, VOID *)
{
    Thread *t = new Thread{INT64(KnobInterval.Value()), NULL, OpenVectors(tid), 0, 0};
    VOID *room = mmap(NULL, MOST_BLOCKS * sizeof *t->counts, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        fprintf(stderr, "E: bbv: no memory for the blocks of thread %u: %s\n", tid, strerror(errno));
        PIN_ExitProcess(1);
    }
    t->counts = static_cast<UINT64 *>(room);
    PIN_LockClient();
    live.push_back(t);
    threads++;
    PIN_UnlockClient();
    PIN_SetContextReg(context, self, ADDRINT(t));
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
    fclose(t->file);
    munmap(t->counts, MOST_BLOCKS * sizeof *t->counts);
    delete t;
}

// A child of fork begins with nothing, and has files of its own.
static VOID InChild(THREADID tid, const CONTEXT *context, VOID *)
{
    Thread *t = reinterpret_cast<Thread *>(PIN_GetContextReg(context, self));
    prefix = tool_path(KnobPrefix);
    sum_intervals = sum_instructions = 0;
    threads = 1;
    live.assign(1, t);
    __fpurge(t->file);
    fclose(t->file);
    madvise(t->counts, MOST_BLOCKS * sizeof *t->counts, MADV_DONTNEED);
    *t = Thread{INT64(KnobInterval.Value()), t->counts, OpenVectors(tid), 0, 0};
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "bbv: basic-block vectors");
    self = PIN_ClaimToolRegister();
    prefix = tool_path(KnobPrefix);
    if (!KnobInterval.Value() || KnobInterval.Value() > UINT64(1) << 62) {
        fprintf(stderr, "E: bbv: -interval must be at least 1\n");
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

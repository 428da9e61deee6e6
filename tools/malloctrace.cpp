// SPDX-License-Identifier: Apache-2.0
// malloctrace: calls of malloc, calloc, realloc and free with arguments and results, and what was not freed at the end.
#include "lib/unwind.h"
#include "lib/where.h"
#include "region.h"

#include <algorithm>
#include <elf.h>
#include <map>
#include <vector>

static KNOB<BOOL> KnobSummary(KNOB_MODE_WRITEONCE, "pintool", "summary", "0", "only the numbers at the end");
static KNOB<UINT32> KnobStack(KNOB_MODE_WRITEONCE, "pintool", "stack", "0", "what was not freed, by the place that allocated it, with so many callers (at most 64)");

enum Function { MALLOC, CALLOC, REALLOC, FREE, FUNCTIONS };
static const char *const names[] = {"malloc", "calloc", "realloc", "free"};

// A call that has not returned. Its stack pointer tells which: the return has the same.
struct Pending {
    Function function;
    ADDRINT sp, first, second;
    UINT32 stack;
    BOOL wanted;
};
struct Block {
    UINT64 bytes;
    UINT32 stack;
    BOOL wanted;
};
static std::vector<Pending> pending[PIN_MAX_THREADS];
static Unwinder *unwinders[PIN_MAX_THREADS];
static std::unordered_map<ADDRINT, BOOL> chosen[PIN_MAX_THREADS]; // by where a call returns to
static UnwindStacks *stacks;
static std::map<ADDRINT, Block> live;
static UINT64 calls[FUNCTIONS], allocated, live_bytes, peak_bytes, unknown_frees;
static PIN_LOCK lock;

static UINT64 SizeOf(const Pending &p) { return p.function == CALLOC ? p.first * p.second : p.function == REALLOC ? p.second : p.first; }

// Under the lock.
static VOID Release(ADDRINT block)
{
    std::map<ADDRINT, Block>::iterator i = live.find(block);
    if (i == live.end()) {
        unknown_frees++;
        return;
    }
    live_bytes -= i->second.wanted ? i->second.bytes : 0;
    live.erase(i);
}

// Under the lock.
static VOID Obtain(ADDRINT block, UINT64 bytes, const Pending &p)
{
    live[block] = Block{bytes, p.stack, p.wanted};
    if (!p.wanted)
        return;
    allocated += bytes;
    live_bytes += bytes;
    peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
}

// Formats that are made of stacks have all that there is room for, unless something else is asked for; places have one frame.
static UINT32 Room()
{
    BOOL whole = KnobFormat.Value() == "folded" || KnobFormat.Value() == "speedscope";
    return std::min(KnobStack ? KnobStack.Value() : whole ? 64 : KnobFormat.Value() != "text" || where_by, 64u);
}

static UINT32 TakeStack(THREADID tid, ADDRINT pc, ADDRINT sp, ADDRINT bp)
{
    ADDRINT frames[64];
    if (!unwinders[tid])
        unwinders[tid] = new Unwinder();
    return stacks->Keep(frames, unwinders[tid]->Take(pc, sp, bp, TRUE, frames, Room()));
}

// Bytes of a return address. A program of 32 bits has program headers of that class.
static UINT32 WordBytes()
{
    bool known;
    return PIN_GetAuxVectorValue(AT_PHENT, &known) == sizeof(Elf32_Phdr) ? 4 : 8;
}

// Is the call one that was asked for, by the code that it comes from, its thread and the region?
static BOOL IsWanted(THREADID tid, ADDRINT sp)
{
    ADDRINT from = 0;
    if (region_asked && !region_is_inside(tid))
        return FALSE;
    static const UINT32 word = WordBytes();
    if (!where_chooses() || PIN_SafeCopy(&from, Addrint2VoidStar(sp), word) != word)
        return !where_chooses();
    auto known = chosen[tid].find(from);
    if (known != chosen[tid].end())
        return known->second;
    PIN_LockClient();
    BOOL wanted = where_wanted(from - 1);
    PIN_UnlockClient();
    return chosen[tid][from] = wanted;
}

// Lines of text, not a result of rows.
static BOOL IsText() { return KnobFormat.Value() == "text" && !where_by; }
// Are the calls themselves shown?
static BOOL Tells() { return !KnobSummary && IsText(); }

static VOID Before(THREADID tid, UINT32 function, ADDRINT pc, ADDRINT sp, ADDRINT bp, ADDRINT first, ADDRINT second)
{
    std::vector<Pending> &p = pending[tid];
    while (!p.empty() && p.back().sp <= sp)
        p.pop_back(); // left by longjmp or an exception
    Pending call = {Function(function), sp, first, second, 0, IsWanted(tid, sp)};
    if (stacks && call.wanted && p.empty() && function != FREE)
        call.stack = TakeStack(tid, pc, sp, bp);
    p.push_back(call);
    if (function == FREE) {
        Locked locked(&lock);
        calls[FREE] += call.wanted;
        if (first)
            Release(first);
        if (p.size() == 1 && call.wanted && Tells())
            fprintf(out, "%u free(0x%lx)\n", tid, first);
    }
}

static VOID Print(THREADID tid, const Pending &p, ADDRINT result)
{
    if (p.function == MALLOC)
        fprintf(out, "%u malloc(%lu) = 0x%lx\n", tid, p.first, result);
    else if (p.function == CALLOC)
        fprintf(out, "%u calloc(%lu, %lu) = 0x%lx\n", tid, p.first, p.second, result);
    else
        fprintf(out, "%u realloc(0x%lx, %lu) = 0x%lx\n", tid, p.first, p.second, result);
}

// Any return: the function may end in a jump to another one (glibc's calloc does), whose return is then its own.
static ADDRINT IsReturn(THREADID tid, ADDRINT sp) { return !pending[tid].empty() && pending[tid].back().sp <= sp; }

static VOID After(THREADID tid, ADDRINT sp, ADDRINT result)
{
    std::vector<Pending> &stack = pending[tid];
    Pending p = stack.back();
    stack.pop_back();
    if (p.sp != sp || !stack.empty() || p.function == FREE)
        return; // left by longjmp; or inside another: realloc may call malloc, which is one call for the program
    Locked locked(&lock);
    calls[p.function] += p.wanted;
    if (p.function == REALLOC && p.first && (result || !p.second))
        Release(p.first);
    if (result)
        Obtain(result, SizeOf(p), p);
    if (p.wanted && Tells())
        Print(tid, p, result);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsRet(ins))
        return;
    INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(IsReturn), IARG_THREAD_ID, IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
    INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(After), IARG_THREAD_ID, IARG_REG_VALUE, REG_STACK_PTR, IARG_REG_VALUE, REG_GAX, IARG_END);
}

// The dynamic linker has a malloc of its own, used before libc's.
static VOID Image(IMG img, VOID *)
{
    for (UINT32 f = 0; f < FUNCTIONS; f++) {
        RTN rtn = RTN_FindByName(img, names[f]);
        if (!RTN_Valid(rtn))
            continue;
        RTN_Open(rtn);
        RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Before), IARG_THREAD_ID, IARG_UINT32, f, IARG_INST_PTR, IARG_REG_VALUE, REG_STACK_PTR, IARG_REG_VALUE, REG_GBP,
            IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END);
        RTN_Close(rtn);
    }
}

// --- results ------------------------------------------------------------------------------------------------------------

struct Sum {
    UINT64 bytes, blocks;
};
typedef std::vector<std::pair<UINT32, Sum> > Sums; // by stack

// What was not freed, the most bytes first.
static Sums NotFreed(Sum *all)
{
    std::map<UINT32, Sum> sums;
    for (const auto &b : live)
        if (b.second.wanted)
            for (Sum *s : {&sums[b.second.stack], all}) {
                s->bytes += b.second.bytes;
                s->blocks++;
            }
    Sums order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(), [](const Sums::value_type &a, const Sums::value_type &b) { return a.second.bytes > b.second.bytes; });
    return order;
}

static VOID Text(const Sums &sums, const Sum &all)
{
    Result r;
    for (size_t i = 0; KnobStack && i < sums.size(); i++) {
        fprintf(out, "not freed: %lu bytes in %lu blocks, allocated\n", sums[i].second.bytes, sums[i].second.blocks);
        for (int frame : stacks->Frames(sums[i].first, &r))
            fprintf(out, "    %s\n", where_frame_name(r.frames[size_t(frame)]).c_str());
    }
    for (UINT32 f = 0; f < FUNCTIONS; f++)
        fprintf(out, "%s: %lu calls\n", names[f], calls[f]);
    fprintf(out, "allocated: %lu bytes, at most %lu at a time\nnot freed: %lu blocks, %lu bytes\n", allocated, peak_bytes, all.blocks, all.bytes);
    if (unknown_frees)
        fprintf(out, "freed without a known allocation: %lu\n", unknown_frees);
}

// Rows by the place of the allocation, and stacks.
static VOID Places(Result *r, WhereCounts *counts, const Sums &sums)
{
    for (const auto &sum : sums) {
        ResultStack s = {stacks->Frames(sum.first, r), FALSE, -1, {sum.second.bytes, sum.second.blocks}};
        std::vector<UINT32> notes = stacks->Notes(sum.first);
        s.cut = s.frames.size() == Room();
        std::reverse(s.frames.begin(), s.frames.end());
        r->stacks.push_back(s);
        for (size_t m = 0; m < 2 && !notes.empty(); m++)
            counts->Add(notes[0], -1, m, s.values[m]);
    }
    r->tells_stacks = KnobStack != 0;
}

static VOID Results(const lp_results_info *info)
{
    Locked locked(&lock);
    Sum all = {0, 0};
    Sums sums = NotFreed(&all);
    if (IsText()) {
        Text(sums, all);
        return;
    }
    Result r;
    WhereCounts counts(2);
    where_begin(&r, info);
    r.metrics = {{"not-freed", "bytes", "bytes of blocks that were not freed"}, {"blocks", "count", "blocks that were not freed"}};
    Places(&r, &counts, sums);
    counts.Into(&r);
    r.totals = {all.bytes, all.blocks};
    ResultTable t = {"calls", "", {{"function", "text"}, {"calls", "count"}}, {}}, bytes = {"bytes", "", {{"what", "text"}, {"bytes", "bytes"}}, {{"allocated", allocated}, {"at most at a time", peak_bytes}}};
    for (UINT32 f = 0; f < FUNCTIONS; f++)
        t.rows.push_back({names[f], calls[f]});
    r.tables = {t, bytes};
    where_write(&r);
}

// The child of a fork counts its own calls. It has the blocks of its parent.
static VOID InChild()
{
    memset(calls, 0, sizeof calls);
    allocated = unknown_frees = 0;
    peak_bytes = live_bytes;
}

// In the child of a fork the other threads are not there, and cannot hold what they hold.
static VOID BeforeFork(THREADID, const CONTEXT *, VOID *)
{
    unwind_before_fork();
    PIN_GetLock(stacks->Lock(), 1);
}
static VOID AfterFork(THREADID, const CONTEXT *, VOID *)
{
    PIN_ReleaseLock(stacks->Lock());
    unwind_after_fork();
}

static VOID Unload(IMG img, VOID *) { stacks->Leave(IMG_LowAddress(img), IMG_HighAddress(img)); }

static VOID StartStacks()
{
    where_wants_lines = TRUE;
    stacks = new UnwindStacks();
    unwind_start();
    IMG_AddUnloadFunction(Unload, 0);
    PIN_AddForkFunction(FPOINT_BEFORE, BeforeFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, AfterFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, AfterFork, 0);
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"malloctrace", "calls of malloc, calloc, realloc and free", "", "20", "callgrind folded speedscope"});
    if (where_by & (WHERE_THREAD | WHERE_BLOCK)) {
        fprintf(stderr, "E: malloctrace: what was not freed is told by the place that allocated it (-by ins, line, routine or image); -tid chooses a thread\n");
        return 1;
    }
    if (!where_by && KnobFormat.Value() != "text")
        where_by = WHERE_LINE;
    tool_init_lock(&lock);
    if (Room())
        StartStacks();
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    tool_results(Results, InChild, IsText());
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// malloctrace: calls of malloc, calloc, realloc and free with arguments and results, and what was not freed at the end.
#include "lib/unwind.h"

#include <algorithm>
#include <map>
#include <vector>

static KNOB<BOOL> KnobSummary(KNOB_MODE_WRITEONCE, "pintool", "summary", "0", "only the numbers at the end");
static KNOB<UINT32> KnobStack(KNOB_MODE_WRITEONCE, "pintool", "stack", "0", "what was not freed, by the place that allocated it, with so many callers (at most 64)");

typedef std::vector<ADDRINT> Stack;

enum Function { MALLOC, CALLOC, REALLOC, FREE, FUNCTIONS };
static const char *const names[] = {"malloc", "calloc", "realloc", "free"};

// A call that has not returned. Its stack pointer tells which: the return has the same.
struct Pending {
    Function function;
    ADDRINT sp, first, second;
    Stack stack;
};
struct Block {
    UINT64 bytes;
    Stack stack;
};
static std::vector<Pending> pending[PIN_MAX_THREADS];
static Unwinder *unwinders[PIN_MAX_THREADS];
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
    live_bytes -= i->second.bytes;
    live.erase(i);
}

// Under the lock.
static VOID Obtain(ADDRINT block, UINT64 bytes, const Stack &stack)
{
    live[block] = Block{bytes, stack};
    allocated += bytes;
    live_bytes += bytes;
    peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
}

static Stack TakeStack(THREADID tid, ADDRINT pc, ADDRINT sp, ADDRINT bp)
{
    ADDRINT frames[64];
    if (!unwinders[tid])
        unwinders[tid] = new Unwinder();
    return Stack(frames, frames + unwinders[tid]->Take(pc, sp, bp, TRUE, frames, std::min(KnobStack.Value(), 64u)));
}

static VOID Before(THREADID tid, UINT32 function, ADDRINT pc, ADDRINT sp, ADDRINT bp, ADDRINT first, ADDRINT second)
{
    std::vector<Pending> &p = pending[tid];
    while (!p.empty() && p.back().sp <= sp)
        p.pop_back(); // left by longjmp or an exception
    Pending call = {Function(function), sp, first, second, {}};
    if (KnobStack && p.empty() && function != FREE)
        call.stack = TakeStack(tid, pc, sp, bp);
    p.push_back(call);
    if (function == FREE) {
        Locked locked(&lock);
        calls[FREE]++;
        if (first)
            Release(first);
        if (p.size() == 1 && !KnobSummary)
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
    calls[p.function]++;
    if (p.function == REALLOC && p.first && (result || !p.second))
        Release(p.first);
    if (result)
        Obtain(result, SizeOf(p), p.stack);
    if (!KnobSummary)
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

// What was not freed, by stack, the most bytes first. An image that has gone has no names any more.
static VOID PrintStacks()
{
    std::map<Stack, std::pair<UINT64, UINT64> > sums; // bytes and blocks
    for (const auto &b : live) {
        sums[b.second.stack].first += b.second.bytes;
        sums[b.second.stack].second++;
    }
    std::vector<std::pair<Stack, std::pair<UINT64, UINT64> > > order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(), [](const decltype(order)::value_type &a, const decltype(order)::value_type &b) { return a.second.first > b.second.first; });
    for (const auto &i : order) {
        fprintf(out, "not freed: %lu bytes in %lu blocks, allocated\n", i.second.first, i.second.second);
        for (ADDRINT frame : i.first)
            fprintf(out, "    %s\n", tool_place(frame).c_str());
    }
}

static VOID Fini(INT32, VOID *)
{
    if (KnobStack)
        PrintStacks();
    for (UINT32 f = 0; f < FUNCTIONS; f++)
        fprintf(out, "%s: %lu calls\n", names[f], calls[f]);
    fprintf(out, "allocated: %lu bytes, at most %lu at a time\nnot freed: %lu blocks, %lu bytes\n", allocated, peak_bytes, live.size(), live_bytes);
    if (unknown_frees)
        fprintf(out, "freed without a known allocation: %lu\n", unknown_frees);
    fflush(out);
}

// The child of a fork counts its own calls. It has the blocks of its parent.
static VOID InChild()
{
    memset(calls, 0, sizeof calls);
    allocated = unknown_frees = 0;
    peak_bytes = live_bytes;
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    tool_start(argc, argv, "malloctrace: calls of malloc, calloc, realloc and free");
    tool_init_lock(&lock);
    if (KnobStack)
        unwind_start();
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    tool_fini(Fini, TRUE, InChild);
    PIN_StartProgram();
}

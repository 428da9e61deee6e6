// SPDX-License-Identifier: Apache-2.0
// heapcheck: errors with memory of the heap: accesses beyond a block and to freed ones, blocks that are freed twice or by the wrong function, and blocks that are lost, with the stacks of
// the error, of the allocation and of the free. Every access that may lead to the heap looks at the shadow (heapshadow.h) in the trace itself; only what looks wrong is a call.
#include "heapaccess.h"
#include "heaphooks.h"
#include "heapleaks.h"
#include "heapstrings.h"
#include "region.h"
#include "syscalls.h"

#include <sys/syscall.h>
#include <unordered_map>

static KNOB<std::string> KnobLeaks(KNOB_MODE_WRITEONCE, "pintool", "leaks", "full", "at the end: full (each place), summary (sums) or no");
static KNOB<BOOL> KnobReachable(KNOB_MODE_WRITEONCE, "pintool", "reachable", "0", "show places of blocks that are still reachable, too");
static KNOB<UINT32> KnobExitCode(KNOB_MODE_WRITEONCE, "pintool", "error_exitcode", "0", "exit status of the program if there were errors or lost blocks (0: its own)");

static REG thread_reg;
static std::vector<Thread *> threads;
static std::map<ADDRINT, ADDRINT> owned; // memory that the allocator has from the kernel: from, to. Under blocks_lock

// --- functions for strings ----------------------------------------------------------------------------------------------

static ADDRINT PIN_FAST_ANALYSIS_CALL IsHeap(ADDRINT a) { return *shadow_of(a); }
static ADDRINT PIN_FAST_ANALYSIS_CALL IsHeapOrLong(ADDRINT a, ADDRINT b, ADDRINT n) { return (*shadow_of(a) | *shadow_of(b)) || n > 64; }
static ADDRINT PIN_FAST_ANALYSIS_CALL IsHeapTwo(ADDRINT a, ADDRINT b) { return *shadow_of(a) | *shadow_of(b); }

struct StringErrors {
    Thread *t;
    ADDRINT pc, sp, bp;

    VOID operator()(ADDRINT at, BOOL write) const { NoteAccess(t, at, 0, write, pc, sp, bp, write ? "write" : "read"); }
    VOID Overlap(ADDRINT to, ADDRINT from) const
    {
        UINT32 stack = TakeStack(t, pc, sp, bp, FALSE);
        BlocksLock lock;
        UINT32 near = blocks_near(to);
        const Block *b = near ? &blocks[near] : NULL;
        error_note(OVERLAP, stack, t->tid, error_number("what is copied from 0x%lx to 0x%lx overlaps, the latter ", from, to) + error_describe(to, b), "copied", b);
    }
};

static VOID StringCall(Thread *t, const StringFunction *f, ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT pc, ADDRINT sp, ADDRINT bp)
{
    if (t->inside)
        return;
    StringErrors bad = {t, pc, sp, bp};
    StringCheck<StringErrors>(*f, a, b, c, bad).Run();
}

// --- instrumentation ----------------------------------------------------------------------------------------------------

enum HookKind { HOOK_HEAP, HOOK_STRING };
struct Hook {
    HookKind kind;
    UINT32 index;
};
static std::unordered_map<ADDRINT, Hook> hooks;
static std::map<ADDRINT, ADDRINT> unchecked; // routines whose own accesses are not looked at: from, to

static BOOL IsChecked(ADDRINT pc)
{
    auto at = unchecked.upper_bound(pc);
    return at == unchecked.begin() || pc >= (--at)->second;
}

static VOID AddHook(IMG img, const char *name, const Hook &hook)
{
    RTN rtn = RTN_FindByName(img, name);
    ADDRINT low, high;
    if (!RTN_Valid(rtn) || !hooks.emplace(RTN_Address(rtn), hook).second)
        return;
    if (unwind_routine(RTN_Address(rtn), &low, &high))
        unchecked[low] = high;
}

static VOID Image(IMG img, VOID *)
{
    for (UINT32 i = 0; i < sizeof heap_functions / sizeof *heap_functions; i++)
        AddHook(img, heap_functions[i].name, Hook{HOOK_HEAP, i});
    for (UINT32 i = 0; i < sizeof string_functions / sizeof *string_functions; i++)
        AddHook(img, string_functions[i].name, Hook{HOOK_STRING, i});
    FindAllocator(img);
}

static VOID ImageGone(IMG img, VOID *)
{
    for (auto at = hooks.begin(); at != hooks.end();)
        at = at->first >= IMG_LowAddress(img) && at->first <= IMG_HighAddress(img) ? hooks.erase(at) : std::next(at);
    unchecked.erase(unchecked.lower_bound(IMG_LowAddress(img)), unchecked.upper_bound(IMG_HighAddress(img)));
    stacks->Leave(IMG_LowAddress(img), IMG_HighAddress(img));
}

static VOID InsertHook(INS ins, const Hook &hook)
{
    if (hook.kind == HOOK_HEAP) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Enter), IARG_CALL_ORDER, CALL_ORDER_FIRST, IARG_REG_VALUE, thread_reg, IARG_UINT32, heap_functions[hook.index].function, IARG_INST_PTR, IARG_REG_VALUE,
            REG_STACK_PTR, IARG_REG_VALUE, REG_GBP, IARG_REG_REFERENCE, REG_GDI, IARG_REG_REFERENCE, REG_GSI, IARG_REG_REFERENCE, REG_GDX, IARG_END);
        return;
    }
    const StringFunction *f = &string_functions[hook.index];
    if (f->work <= COPY || f->work == COMPARE)
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(IsHeapOrLong), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, REG_GDI, IARG_REG_VALUE, REG_GSI, IARG_REG_VALUE, REG_GDX, IARG_END);
    else if (f->work >= COMPARE_TEXT)
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(IsHeapTwo), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, REG_GDI, IARG_REG_VALUE, REG_GSI, IARG_END);
    else if (f->work == SET || f->work == FIND || f->work == FIND_LAST)
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(IsHeapOrLong), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, REG_GDI, IARG_REG_VALUE, REG_GDI, IARG_REG_VALUE, REG_GDX, IARG_END);
    else
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(IsHeap), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, REG_GDI, IARG_END);
    INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(StringCall), IARG_REG_VALUE, thread_reg, IARG_PTR, f, IARG_REG_VALUE, REG_GDI, IARG_REG_VALUE, REG_GSI, IARG_REG_VALUE, REG_GDX, IARG_INST_PTR,
        IARG_REG_VALUE, REG_STACK_PTR, IARG_REG_VALUE, REG_GBP, IARG_END);
}

static VOID InsertReturn(INS ins)
{
    INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(IsReturn), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, thread_reg, IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
    INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Leave), IARG_REG_VALUE, thread_reg, IARG_REG_VALUE, REG_STACK_PTR, IARG_REG_VALUE, REG_GAX, IARG_RETURN_REGS, REG_GAX, IARG_END);
}

// An address as the instruction makes it.
struct Form {
    REG base, index;
    UINT32 scale;
    INT64 displacement;
};
struct Checked {
    Form form;
    UINT32 bytes;
    Site *site;
};

static VOID InsertLook(INS ins, UINT32 memop, UINT32 bytes, const Site *site)
{
    AFUNPTR exact = bytes == 1 ? AFUNPTR(Look<1>) : bytes == 2 ? AFUNPTR(Look<2>) : bytes == 4 ? AFUNPTR(Look<4>) : bytes == 8 ? AFUNPTR(Look<8>) : bytes == 16 ? AFUNPTR(Look<16>) : NULL;
    AFUNPTR look = exact ? exact : bytes < 16 ? AFUNPTR(LookOdd) : bytes <= 32 ? AFUNPTR(LookWide) : bytes <= 128 ? AFUNPTR(LookLong) : AFUNPTR(LookAlways);
    if (!exact)
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, look, IARG_FAST_ANALYSIS_CALL, IARG_MEMORYOP_EA, memop, IARG_UINT32, bytes - 1, IARG_END);
    else
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, look, IARG_FAST_ANALYSIS_CALL, IARG_MEMORYOP_EA, memop, IARG_END);
    INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Slow), IARG_REG_VALUE, thread_reg, IARG_MEMORYOP_EA, memop, IARG_PTR, site, IARG_REG_VALUE, REG_STACK_PTR, IARG_REG_VALUE, REG_GBP, IARG_END);
}

static BOOL IsWord(REG reg) { return !REG_valid(reg) || (REG_is_gr(reg) && REG_Size(reg) == 8); }

static BOOL Covers(const Checked &c, const Form &f, UINT32 bytes)
{
    return c.form.base == f.base && c.form.index == f.index && c.form.scale == f.scale && f.displacement >= c.form.displacement && f.displacement + bytes <= c.form.displacement + c.bytes;
}

// Stacks, data beside the code and what a segment leads to are not the heap's.
static VOID Access(INS ins, UINT32 memop, std::vector<Checked> *checked)
{
    UINT32 operand = INS_MemoryOperandIndexToOperandIndex(ins, memop), bytes = UINT32(INS_MemoryOperandSize(ins, memop));
    Form form = {INS_OperandMemoryBaseReg(ins, operand), INS_OperandMemoryIndexReg(ins, operand), INS_OperandMemoryScale(ins, operand), INS_OperandMemoryDisplacement(ins, operand)};
    if (!bytes || form.base == REG_STACK_PTR || (form.base == REG_INST_PTR && !REG_valid(form.index)) || (!REG_valid(form.base) && !REG_valid(form.index)) || INS_SegmentPrefix(ins))
        return;
    Follower self = {INS_Address(ins), 0, bytes, INS_MemoryOperandIsRead(ins, memop), INS_MemoryOperandIsWritten(ins, memop)};
    BOOL plain = !INS_IsPredicated(ins) && IsWord(form.base) && IsWord(form.index);
    for (Checked &c : *checked)
        if (plain && Covers(c, form, bytes)) {
            self.offset = form.displacement - c.form.displacement;
            c.site->followers.push_back(self);
            return;
        }
    Site *site = new Site{self, {}};
    InsertLook(ins, memop, bytes, site);
    if (plain)
        checked->push_back(Checked{form, bytes, site});
}

// What the instruction changes is no longer the same address.
static VOID Forget(INS ins, std::vector<Checked> *checked)
{
    checked->erase(std::remove_if(checked->begin(), checked->end(), [&](const Checked &c) {
        return (REG_valid(c.form.base) && INS_FullRegWContain(ins, c.form.base)) || (REG_valid(c.form.index) && INS_FullRegWContain(ins, c.form.index));
    }), checked->end());
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        std::vector<Checked> checked;
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins)) {
            auto hook = hooks.find(INS_Address(ins));
            if (hook != hooks.end())
                InsertHook(ins, hook->second);
            if (INS_IsRet(ins))
                InsertReturn(ins);
            if (INS_IsStandardMemop(ins) && !INS_IsPrefetch(ins) && IsChecked(INS_Address(ins)) && where_wanted(INS_Address(ins)))
                for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
                    Access(ins, i, &checked);
            Forget(ins, &checked);
        }
    }
}

// --- the kernel ---------------------------------------------------------------------------------------------------------

static ADDRINT program_break;

static VOID Own(ADDRINT from, ADDRINT to)
{
    owned[from] = std::max(owned[from], to);
}

static VOID Disown(ADDRINT from, ADDRINT to)
{
    auto at = owned.upper_bound(from);
    if (at != owned.begin())
        --at;
    while (at != owned.end() && at->first < to) {
        ADDRINT low = at->first, high = at->second;
        at = high <= from ? std::next(at) : owned.erase(at);
        if (high <= from)
            continue;
        if (low < from)
            owned[low] = from;
        if (high > to)
            owned[to] = high;
    }
    shadow_forget(from, to);
}

static ADDRINT Pages(ADDRINT bytes) { return (bytes + 4095) & ~ADDRINT(4095); }

// The break was moved: what is new is the allocator's if it has asked.
static VOID NewBreak(Thread *t, ADDRINT now)
{
    if (program_break && now < program_break)
        Disown(now, program_break);
    else if (t->inside && program_break && now > program_break) {
        shadow_fill(RoundUp(program_break), now, SHADOW_FREE);
        Own(program_break, now);
    }
    program_break = now;
}

// In the first page of an arena are the allocator's own tables, which it uses at other times, too.
static VOID NewPages(Thread *t, ADDRINT at, ADDRINT bytes, BOOL usable, BOOL first)
{
    if (!t->inside) {
        if (first)
            Disown(at, at + Pages(bytes));
        return;
    }
    if (first)
        Own(at, at + Pages(bytes));
    if (usable && bytes < (64u << 20))
        shadow_fill(at + (first ? 4096 : 0), at + Pages(bytes), SHADOW_FREE);
}

static BOOL IsInOwned(ADDRINT at)
{
    auto o = owned.upper_bound(at);
    return o != owned.begin() && std::prev(o)->second > at;
}

static VOID MemoryChanged(Thread *t, ADDRINT number, const ADDRINT *a, ADDRINT result)
{
    BlocksLock lock;
    switch (number) {
    case SYS_brk: return NewBreak(t, result);
    case SYS_mmap: return NewPages(t, result, a[1], a[2] & PROT_WRITE, TRUE);
    case SYS_munmap: return Disown(a[0], a[0] + Pages(a[1]));
    case SYS_mprotect:
        if (t->inside && a[2] & PROT_WRITE && IsInOwned(a[0]))
            NewPages(t, a[0], a[1], TRUE, owned.count(a[0]) != 0);
        return;
    case SYS_mremap:
        Disown(a[0], a[0] + Pages(a[1]));
        NewPages(t, result, a[2], FALSE, TRUE);
    }
}

static VOID CheckText(Thread *t, ADDRINT at, ADDRINT pc, ADDRINT sp, ADDRINT bp, const char *what)
{
    StringReader r(at, 1);
    UINT32 byte = 1;
    for (UINT32 i = 0; i < 65536 && byte && r.Next(&byte); i++) {
    }
    if (byte && r.IsOverrun())
        NoteAccess(t, r.At(), 0, FALSE, pc, sp, bp, what);
}

// The memory that a system call reads and writes must be the program's, as all other.
static VOID CheckArguments(Thread *t, const Syscall *call, const CONTEXT *ctxt)
{
    ADDRINT pc = PIN_GetContextReg(ctxt, REG_INST_PTR), bp = PIN_GetContextReg(ctxt, REG_GBP);
    for (UINT32 i = 0; call && i < call->args; i++) {
        const SyscallArg &arg = call->arg[i];
        ADDRINT at = t->syscall_args[i];
        std::string what = std::string("argument ") + arg.name + " of system call " + call->name;
        if ((arg.kind == SYSCALL_PATH || arg.kind == SYSCALL_STRING) && at && shadow_is_heap(at))
            CheckText(t, at, pc, t->sp, bp, what.c_str());
        if (!SyscallIsPointer(arg) || arg.kind == SYSCALL_ANY || !at)
            continue;
        for (const Piece &p : MemoryOf(*call, i, t->syscall_args, -1)) {
            ADDRINT end = p.address + std::min<UINT64>(p.bytes, 1 << 24), wrong = p.address >> 47 ? end : shadow_first_bad(p.address, end);
            if (wrong != end)
                NoteAccess(t, wrong, 0, arg.way & SYSCALL_OUT, pc, t->sp, bp, what.c_str());
        }
    }
}

static VOID Finish(Thread *t, BOOL leaks);
static BOOL HasErrors();

static VOID SyscallEntry(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    static const REG registers[REGISTERS] = {REG_GBX, REG_GDX, REG_GSI, REG_GDI, REG_GBP, REG_R8, REG_R9, REG_R10, REG_R12, REG_R13, REG_R14, REG_R15}; // not those that the kernel overwrites
    Thread *t = threads[tid];
    t->syscall_number = std == SYSCALL_STANDARD_IA32_LINUX ? ~ADDRINT(0) : PIN_GetSyscallNumber(ctxt, std);
    for (UINT32 i = 0; i < 6; i++)
        t->syscall_args[i] = PIN_GetSyscallArgument(ctxt, std, i);
    for (UINT32 i = 0; i < REGISTERS; i++)
        t->registers[i] = PIN_GetContextReg(ctxt, registers[i]);
    t->sp = PIN_GetContextReg(ctxt, REG_STACK_PTR);
    t->waits = TRUE;
    if (!t->inside)
        CheckArguments(t, SyscallOf(t->syscall_number, std), ctxt);
    if (t->syscall_number != SYS_exit_group)
        return;
    PIN_LockClient();
    Finish(t, TRUE);
    if (KnobExitCode && HasErrors())
        PIN_SetSyscallArgument(ctxt, std, 0, KnobExitCode);
    PIN_UnlockClient();
}

static VOID SyscallExit(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    Thread *t = threads[tid];
    t->waits = FALSE;
    if (!PIN_GetSyscallErrno(ctxt, std))
        MemoryChanged(t, t->syscall_number, t->syscall_args, PIN_GetSyscallReturn(ctxt, std));
}

// --- the end ------------------------------------------------------------------------------------------------------------

struct Sum {
    UINT64 bytes, blocks;
};
static Sum sums[REACHABLE + 1];
static std::vector<HeapError> leaks;
static BOOL finished;

static VOID FindRoots(LeakSearch *search)
{
    lp_memory_area area;
    for (ADDRINT at = 0; lp_next_memory(at, &area); at = area.high) {
        ADDRINT low = area.low;
        if ((area.flags & (LP_MEMORY_READ | LP_MEMORY_WRITE)) != (LP_MEMORY_READ | LP_MEMORY_WRITE))
            continue;
        for (const Thread *t : threads)
            if (t && !t->ended && t->waits && t->sp > area.low && t->sp < area.high && area.high - t->sp < (64u << 20))
                low = std::max(low, t->sp - 128); // of a stack the part that is used
        search->Roots(low, area.high, owned);
    }
    for (const Thread *t : threads)
        for (ADDRINT value : t && !t->ended && t->waits ? std::vector<ADDRINT>(t->registers, t->registers + REGISTERS) : std::vector<ADDRINT>())
            search->Root(value);
}

// Blocks that were allocated at the same place are one leak.
static VOID Collect(const LeakSearch &search)
{
    struct Group {
        Sum own, indirect;
    };
    std::map<std::pair<UINT32, UINT32>, Group> groups;
    for (const LeakBlock &b : search.Blocks()) {
        sums[b.reach].bytes += b.bytes;
        sums[b.reach].blocks++;
        if (b.reach == INDIRECT || (b.reach == REACHABLE && !KnobReachable))
            continue;
        Group &g = groups[std::make_pair(b.reach == UNREACHED ? LEAK_LOST : b.reach == POSSIBLE ? LEAK_POSSIBLE : LEAK_REACHABLE, b.allocated)];
        g.own.bytes += b.bytes;
        g.own.blocks++;
        g.indirect.bytes += b.indirect;
        g.indirect.blocks += b.indirect_blocks;
    }
    for (const auto &g : groups) {
        static const char *const how[] = {"lost", "possibly lost", "still reachable"};
        std::string text = error_number("%lu bytes in %lu blocks are ", g.second.own.bytes, g.second.own.blocks) + how[g.first.first - LEAK_LOST];
        if (g.second.indirect.blocks)
            text += error_number(", and %lu bytes in %lu blocks that only these lead to", g.second.indirect.bytes, g.second.indirect.blocks);
        leaks.push_back(HeapError{g.first.first, g.first.second, 0, 0, g.second.own.bytes + g.second.indirect.bytes, text, "allocated"});
    }
    std::stable_sort(leaks.begin(), leaks.end(), [](const HeapError &a, const HeapError &b) { return a.kind != b.kind ? a.kind < b.kind : a.count > b.count; });
    for (HeapError &e : leaks)
        e.count = 1;
}

static VOID Finish(Thread *, BOOL look)
{
    BlocksLock lock;
    memset(sums, 0, sizeof sums);
    leaks.clear();
    finished = TRUE;
    if (!look || KnobLeaks.Value() == "no")
        return;
    LeakSearch search;
    FindRoots(&search);
    search.Finish();
    Collect(search);
    if (KnobLeaks.Value() == "summary")
        leaks.clear();
}

static BOOL HasErrors()
{
    for (const HeapError &e : errors)
        if (!error_is_suppressed(e))
            return TRUE;
    for (const HeapError &e : leaks)
        if (e.kind != LEAK_REACHABLE && !error_is_suppressed(e))
            return TRUE;
    return FALSE;
}

static VOID Table(Result *r)
{
    static const char *const names[] = {"lost", "lost indirectly", "possibly lost", "still reachable"};
    ResultTable t = {"blocks at the end", "", {{"blocks", "text"}, {"bytes", "bytes"}, {"number", "count"}}, {}};
    for (UINT32 i = 0; i <= REACHABLE; i++)
        t.rows.push_back({names[i], sums[i].bytes, sums[i].blocks});
    r->tables.push_back(t);
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    UINT64 shown = 0, hidden = 0;
    BOOL ends = info->why == LP_RESULTS_EXIT || info->why == LP_RESULTS_SIGNAL;
    where_begin(&r, info);
    main_name = tool_base_name(r.program) + ":main";
    if (!finished || !ends)
        Finish(NULL, ends || info->why == LP_RESULTS_DUMP);
    finished = FALSE;
    for (const std::vector<HeapError> *list : {&errors, &leaks})
        for (const HeapError &e : *list) {
            if (error_is_suppressed(e)) {
                hidden++;
                continue;
            }
            shown += e.kind != LEAK_REACHABLE;
            error_show(&r, e);
        }
    if (errors_cut)
        r.notes.push_back("more than 1000 different errors: the others are not shown");
    if (ends || info->why == LP_RESULTS_DUMP)
        Table(&r);
    r.metrics = {{"errors", "count", "different errors and places that lose blocks"}, {"suppressed", "count", "of these, those that a suppression hides"}, {"allocations", "count", "blocks allocated"},
        {"frees", "count", "blocks freed"}, {"allocated", "bytes", "bytes allocated"}};
    r.totals = {shown, hidden, heap_allocations, heap_frees, heap_bytes};
    where_write(&r);
}

// --- threads and processes ----------------------------------------------------------------------------------------------

static VOID ThreadStart(THREADID tid, CONTEXT *ctxt, INT32, VOID *)
{
    Thread *t = new Thread();
    t->pending_sp = ~ADDRINT(0);
    t->tid = tid;
    BlocksLock lock;
    if (threads.size() <= tid)
        threads.resize(tid + 1);
    threads[tid] = t; // the one that had the number before has ended
    PIN_SetContextReg(ctxt, thread_reg, ADDRINT(t));
}

static VOID ThreadFini(THREADID tid, const CONTEXT *, INT32, VOID *) { threads[tid]->ended = TRUE; }

static VOID BeforeFork(THREADID, const CONTEXT *, VOID *)
{
    BlocksLock::Take();
    unwind_before_fork();
    PIN_GetLock(stacks->Lock(), 1);
}

static VOID AfterFork(THREADID, const CONTEXT *, VOID *)
{
    PIN_ReleaseLock(stacks->Lock());
    unwind_after_fork();
    BlocksLock::Release();
}

// The other threads are not in the child.
static VOID AfterForkInChild(THREADID tid, const CONTEXT *c, VOID *v)
{
    AfterFork(tid, c, v);
    for (THREADID i = 0; i < threads.size(); i++)
        if (threads[i] && i != tid)
            threads[i]->ended = TRUE;
}

static VOID Reset()
{
    errors.clear();
    error_index.clear();
    finished = FALSE;
}

static VOID ReadOptions()
{
    if (KnobLeaks.Value() != "full" && KnobLeaks.Value() != "summary" && KnobLeaks.Value() != "no") {
        fprintf(stderr, "E: heapcheck: -leaks %s: not one of full, summary, no\n", KnobLeaks.Value().c_str());
        exit(1);
    }
    if (KnobRedzone % 16 || KnobRedzone < 16) {
        fprintf(stderr, "E: heapcheck: -redzone %u: not a multiple of 16\n", KnobRedzone.Value());
        exit(1);
    }
    for (UINT32 i = 0; i < KnobSuppressions.NumberOfValues(); i++)
        if (!KnobSuppressions.Value(i).empty())
            suppressions_read(KnobSuppressions.Value(i));
    quarantine_limit = UINT64(KnobQuarantine) << 20;
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"heapcheck", "errors with memory of the heap", "line", "20", ""});
    if (where_by & (WHERE_IMAGE | WHERE_BLOCK | WHERE_INS | WHERE_THREAD)) {
        fprintf(stderr, "E: heapcheck: -by means nothing here: it tells errors by their stacks, with lines\n");
        exit(1);
    }
    ReadOptions();
    stacks = new UnwindStacks();
    if (!shadow_start()) {
        fprintf(stderr, "E: heapcheck: no address space for the shadow of memory, 16 TiB at 0x%lx: %s\n", SHADOW_AT, strerror(errno));
        exit(1);
    }
    heap_attached = PIN_IsAttaching();
    thread_reg = PIN_ClaimToolRegister();
    unwind_start();
    IMG_AddInstrumentFunction(Image, 0);
    IMG_AddUnloadFunction(ImageGone, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddThreadFiniFunction(ThreadFini, 0);
    PIN_AddSyscallEntryFunction(SyscallEntry, 0);
    PIN_AddSyscallExitFunction(SyscallExit, 0);
    PIN_AddForkFunction(FPOINT_BEFORE, BeforeFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, AfterFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, AfterForkInChild, 0);
    tool_results(Results, Reset);
    PIN_StartProgram();
}

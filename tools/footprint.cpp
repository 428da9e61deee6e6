// SPDX-License-Identifier: Apache-2.0
// footprint: how much memory the program touches: distinct cache lines and pages of code and data, in all and with -by of each place.
#include "lib/where.h"
#include "region.h"

#include <map>
#include <unordered_map>
#include <vector>

static KNOB<UINT64> KnobTimeline(KNOB_MODE_WRITEONCE, "pintool", "timeline", "0", "the working set over time: steps of so many instructions (0: 1000000 in a format that shows it)");

enum Use { READ, WRITE, EXECUTE, USES };
static const ADDRINT LINE = 64, PAGE = 4096;

struct Lines {
    UINT64 used[USES]; // a bit for each line of the page
};
typedef std::map<ADDRINT, Lines> Pages;

// What one place has touched; without -by there is one for all.
struct Area {
    UINT64 number; // in the upper bits, so that it can stand beside a line's number
    ResultPlace place;
    Pages pages;
};
static const UINT32 LINE_BITS = 44, AREAS_MAX = 1u << (64 - LINE_BITS);
static std::vector<Area *> areas;
static std::map<ResultPlace, Area *> area_index;
static PIN_LOCK lock;

// Under the client lock.
static Area *AreaOf(ADDRINT address)
{
    ResultPlace place = where_by ? where_reduced(where_note(address), -1) : ResultPlace();
    Area *&a = area_index[place];
    if (!a) {
        areas.push_back(a = new Area{UINT64(areas.size()) << LINE_BITS, place, {}});
        if (areas.size() > AREAS_MAX) {
            fprintf(stderr, "E: footprint: more than %u places\n", AREAS_MAX);
            PIN_ExitProcess(1);
        }
    }
    return a;
}

static VOID Mark(Area *area, ADDRINT address, ADDRINT bytes, Use use)
{
    Locked locked(&lock);
    for (ADDRINT line = address / LINE; line <= (address + bytes - 1) / LINE; line++)
        area->pages[line * LINE / PAGE].used[use] |= UINT64(1) << line % (PAGE / LINE);
}

// --- time ---------------------------------------------------------------------------------------------------------------

// The step in which each line of data was used last, from 1; 0: never. Under the lock.
struct LastUse {
    UINT32 step[PAGE / LINE];
};
static std::unordered_map<ADDRINT, LastUse> last_use; // by page
static UINT64 step, instructions, step_end;           // step: 0, nobody asks
static std::vector<UINT64> working, so_far;           // lines used in each step, and up to its end
static const size_t STEPS_MAX = 1 << 16;

static VOID NoteUse(ADDRINT address, ADDRINT bytes)
{
    Locked locked(&lock);
    for (ADDRINT line = address / LINE; line <= (address + bytes - 1) / LINE; line++) {
        UINT32 &last = last_use[line * LINE / PAGE].step[line % (PAGE / LINE)];
        so_far.back() += !last;
        working.back() += last != working.size();
        last = UINT32(working.size());
    }
}

// --- data ---------------------------------------------------------------------------------------------------------------

// Lines that were marked lately, for each thread and kind of access: most accesses are to one of them and need no more.
static const UINT32 RECENT = 256;
static UINT64 recent[PIN_MAX_THREADS][2][RECENT];

static inline UINT32 At(UINT64 area, ADDRINT line) { return (line ^ area >> (LINE_BITS - 3)) % RECENT; }

static ADDRINT IsNewData(THREADID tid, UINT64 area, ADDRINT address, UINT32 last, UINT32 write)
{
    ADDRINT line = address / LINE;
    return (recent[tid][write][At(area, line)] ^ (area | line)) | (line ^ (address + last) / LINE);
}

static VOID Data(THREADID tid, Area *area, ADDRINT address, UINT32 bytes, UINT32 write)
{
    if (step)
        NoteUse(address, bytes);
    recent[tid][write][At(area->number, address / LINE)] = area->number | address / LINE;
    Mark(area, address, bytes, write ? WRITE : READ);
}

// An operand that is read and written counts as written. Predicated: a rep with a count of zero accesses nothing.
static VOID Operand(INS ins, UINT32 i, Area *area)
{
    UINT32 write = INS_MemoryOperandIsWritten(ins, i), bytes = UINT32(INS_MemoryOperandSize(ins, i));
    if (!region_asked) {
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(IsNewData), IARG_THREAD_ID, IARG_UINT64, area->number, IARG_MEMORYOP_EA, i, IARG_UINT32, bytes - 1, IARG_UINT32, write, IARG_END);
        INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Data), IARG_THREAD_ID, IARG_PTR, area, IARG_MEMORYOP_EA, i, IARG_UINT32, bytes, IARG_UINT32, write, IARG_END);
    } else
        REGION_PREDICATED_CALL(ins, AFUNPTR(Data), IARG_THREAD_ID, IARG_PTR, area, IARG_MEMORYOP_EA, i, IARG_UINT32, bytes, IARG_UINT32, write, IARG_END);
}

static THREADID threads; // numbers that were given out

// Under the client lock.
static VOID ThreadStart(THREADID tid, CONTEXT *, INT32, VOID *) { threads = threads > tid ? threads : tid + 1; }

static ADDRINT IsStep(UINT32 n, THREADID) { return __atomic_add_fetch(&instructions, n, __ATOMIC_RELAXED) > step_end; }
static ADDRINT IsStepInRegion(UINT32 n, THREADID tid) { return region_is_inside(tid) && IsStep(n, tid); }

// What comes is of the next step, in which every line's first use is to be seen.
static VOID NextStep()
{
    Locked locked(&lock);
    while (instructions > step_end && working.size() < STEPS_MAX) {
        step_end += step;
        working.push_back(0);
        so_far.push_back(so_far.back());
    }
    if (working.size() == STEPS_MAX)
        step_end = ~UINT64(0);
    memset(recent, 0, threads * sizeof *recent);
}

static VOID BeginSteps()
{
    instructions = 0;
    step_end = step;
    working = so_far = {0};
    last_use.clear();
}

// --- code ---------------------------------------------------------------------------------------------------------------

struct Code {
    Area *area;
    ADDRINT address, bytes;
    UINT64 done;
};
static std::vector<Code *> codes;

// The first execution marks the lines.
static ADDRINT IsNew(Code *code, THREADID) { return !code->done; }
static ADDRINT IsNewInRegion(Code *code, THREADID tid) { return region_is_inside(tid) && !code->done; }
static VOID Execute(Code *code)
{
    code->done = 1;
    Mark(code->area, code->address, code->bytes, EXECUTE);
}

static VOID Piece(INS first, ADDRINT bytes, Area *area)
{
    Code *code = new Code{area, INS_Address(first), bytes, 0};
    codes.push_back(code);
    INS_InsertIfCall(first, IPOINT_BEFORE, region_asked ? AFUNPTR(IsNewInRegion) : AFUNPTR(IsNew), IARG_PTR, code, IARG_THREAD_ID, IARG_END);
    INS_InsertThenCall(first, IPOINT_BEFORE, AFUNPTR(Execute), IARG_PTR, code, IARG_END);
}

static VOID Trace(TRACE trace, VOID *)
{
    BOOL each = region_asked || where_fine(); // instructions of a block are of different places, or some are in no region
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        if (!where_wanted(BBL_Address(bbl)))
            continue;
        for (INS ins = region_piece(bbl); step && INS_Valid(ins); ins = region_next_piece(ins)) {
            INS_InsertIfCall(ins, IPOINT_BEFORE, region_asked ? AFUNPTR(IsStepInRegion) : AFUNPTR(IsStep), IARG_UINT32, region_piece_size(bbl), IARG_THREAD_ID, IARG_END);
            INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(NextStep), IARG_END);
        }
        if (!each)
            Piece(BBL_InsHead(bbl), BBL_Size(bbl), AreaOf(BBL_Address(bbl)));
        for (INS ins = BBL_InsHead(bbl); INS_Valid(ins); ins = INS_Next(ins)) {
            Area *area = AreaOf(where_by & WHERE_BLOCK && !(where_by & WHERE_INS) ? BBL_Address(bbl) : INS_Address(ins));
            if (each)
                Piece(ins, INS_Size(ins), area);
            for (UINT32 i = 0; INS_IsStandardMemop(ins) && i < INS_MemoryOperandCount(ins); i++)
                Operand(ins, i, area); // not gather, scatter, xsave: they have no single address and size
        }
    }
}

// --- results ------------------------------------------------------------------------------------------------------------

struct Sums {
    UINT64 lines, pages;
};
static Sums SumOf(const Pages &pages, UINT32 uses)
{
    Sums s = {0, 0};
    for (const auto &i : pages) {
        UINT64 all = 0;
        for (UINT32 u = 0; u < USES; u++)
            all |= uses >> u & 1 ? i.second.used[u] : 0;
        s.lines += UINT64(__builtin_popcountl(all));
        s.pages += all != 0;
    }
    return s;
}

static const UINT32 DATA = 1 << READ | 1 << WRITE, ALL = DATA | 1 << EXECUTE;
static const struct {
    const char *name;
    UINT32 uses;
} kinds[] = {{"executed", 1 << EXECUTE}, {"read", 1 << READ}, {"written", 1 << WRITE}, {"data", DATA}, {"all", ALL}};

// What several places touch counts for each of them, and once in all.
static Pages Whole()
{
    Pages whole;
    for (const Area *a : areas)
        for (const auto &i : a->pages)
            for (UINT32 u = 0; u < USES; u++)
                whole[i.first].used[u] |= i.second.used[u];
    return whole;
}

static ResultValues Values(const Pages &pages)
{
    Sums all = SumOf(pages, ALL);
    return {all.lines, all.pages, SumOf(pages, 1 << EXECUTE).lines, SumOf(pages, 1 << READ).lines, SumOf(pages, 1 << WRITE).lines};
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    where_begin(&r, info);
    r.metrics = {{"lines", "count", "distinct lines of 64 bytes, code and data"}, {"pages", "count", "distinct pages of 4 KiB"}, {"executed", "count", "distinct lines that were executed"},
        {"read", "count", "distinct lines that were read"}, {"written", "count", "distinct lines that were written"}};
    Locked locked(&lock);
    Pages whole = Whole();
    r.totals = Values(whole);
    for (const Area *a : areas)
        if (where_by && !a->pages.empty())
            r.rows.push_back(ResultRow{a->place, Values(a->pages)});
    std::stable_sort(r.rows.begin(), r.rows.end(), [](const ResultRow &a, const ResultRow &b) { return a.values > b.values; });
    ResultTable t = {"memory touched", "", {{"use", "text"}, {"lines", "count"}, {"KiB", "count"}, {"pages", "count"}, {"KiB of pages", "count"}}, {}};
    for (const auto &k : kinds) {
        Sums s = SumOf(whole, k.uses);
        t.rows.push_back({k.name, s.lines, s.lines * LINE / 1024, s.pages, s.pages * PAGE / 1024});
    }
    r.tables.push_back(t);
    if (step) {
        r.timeline.unit = "instructions";
        r.timeline.step = step;
        r.timeline.series = {{"working set, lines of data", "level", working}, {"lines of data so far", "level", so_far}};
    }
    if (working.size() == STEPS_MAX)
        r.notes.push_back("the working set over time ends after " + decstr(STEPS_MAX) + " steps (a larger -timeline has less)");
    where_write(&r);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    for (Area *a : areas)
        a->pages.clear();
    memset(recent, 0, sizeof recent);
    BeginSteps();
    for (Code *code : codes)
        code->done = 0;
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"stack", "a line or a page of memory is touched by many calls"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"footprint", "how much memory the program touches", "", "20", ""});
    if (where_by & WHERE_THREAD) {
        fprintf(stderr, "E: footprint: not by thread; -tid chooses one\n");
        return 1;
    }
    tool_init_lock(&lock);
    step = KnobTimeline ? KnobTimeline.Value() : KnobFormat.Value() == "json" ? 1000000 : 0;
    BeginSteps();
    PIN_AddThreadStartFunction(ThreadStart, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

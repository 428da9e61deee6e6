// SPDX-License-Identifier: Apache-2.0
// heapwrap: blocks of the heap that are freed twice, that were never allocated or belong to another function, and those that nobody frees, by the place that allocated them. In probe
// mode: the program runs natively, only the functions of its allocator lead here.
#include "probed.h"

#include <algorithm>
#include <unordered_map>

static KNOB<BOOL> KnobPass(KNOB_MODE_WRITEONCE, "pintool", "pass", "0",
                           "give wrong frees to the allocator, too, which may end the program without results");
static KNOB<BOOL> KnobLeaks(KNOB_MODE_WRITEONCE, "pintool", "leaks", "1", "what was not freed at the end");

enum Family { MALLOC, NEW, NEW_ARRAY };
static const char *const allocates[] = {"malloc", "new", "new[]"};
static const char *const frees[] = {"free", "delete", "delete[]"};

struct Block {
    UINT64 bytes;
    ADDRINT site, freed; // freed: where; 0: it is live
    Family family;
    BOOL nested;
};
struct Wrong {
    std::string kind, text;
    ADDRINT site, allocated, freed;
    bool operator<(const Wrong &b) const
    {
        return std::tie(kind, site, text, allocated, freed) < std::tie(b.kind, b.site, b.text, b.allocated, b.freed);
    }
};
static std::unordered_map<ADDRINT, Block> blocks; // by address: what it is now, or was last
static std::map<Wrong, UINT64> wrongs;            // and how often
static UINT64 allocations, allocated_bytes, freed_blocks, live_bytes, peak_bytes;

// Where the allocator itself frees what a thread keeps for it, when the thread ends: blocks that the program has freed
// before, and one that it never had.
static std::map<ADDRINT, ADDRINT> of_allocator;

// --- under the lock -----------------------------------------------------------------------------------------------------
// nested: for a function of these that will give it to the program, or has it for itself.
static VOID Obtain(ADDRINT address, UINT64 bytes, ADDRINT site, Family family, BOOL nested)
{
    if (!address)
        return;
    Block &b = blocks[address];
    if (b.site && !b.freed) { // the same block again, or its free was not seen
        live_bytes -= b.bytes;
        allocations -= b.nested;
        allocated_bytes -= b.nested ? b.bytes : 0;
    }
    b = Block{bytes, site, 0, family, nested};
    allocations++;
    allocated_bytes += bytes;
    live_bytes += bytes;
    if (!nested)
        peak_bytes = std::max(peak_bytes, live_bytes);
}

static VOID Note(const char *kind, const std::string &text, ADDRINT site, const Block *b)
{
    wrongs[Wrong{kind, text, site, b ? b->site : 0, b ? b->freed : 0}]++;
}

static std::string Inside(ADDRINT address)
{
    for (const auto &b : blocks)
        if (!b.second.freed && address > b.first && address < b.first + b.second.bytes)
            return "an address " + decstr(address - b.first) + " bytes inside a block of " + decstr(b.second.bytes) +
                   " bytes";
    return "an address that was never allocated";
}

enum Verdict { GOOD, WRONG, PASSES }; // PASSES: no call of the program's
// size: as sized delete has it; 0: not known.
static Verdict Release(ADDRINT address, ADDRINT site, Family family, UINT64 size, const char *what, BOOL nested)
{
    auto i = blocks.find(address);
    Block *b = i == blocks.end() ? NULL : &i->second;
    if (!b || b->freed) {
        if (nested || probed_within(of_allocator, site - 1))
            return PASSES;
        const std::string of = b ? "a block of " + decstr(b->bytes) + " bytes that was freed" : Inside(address);
        Note(b ? "double-free" : "invalid-free", std::string(what) + " of " + of, site, b);
        return WRONG;
    }
    if (b->family != family)
        Note("mismatched-free",
             std::string(what) + " of a block of " + decstr(b->bytes) + " bytes from " + allocates[b->family], site, b);
    else if (size && size != b->bytes)
        Note("mismatched-size",
             std::string(what) + " of " + decstr(size) + " bytes, and the block has " + decstr(b->bytes), site, b);
    b->freed = site;
    freed_blocks++;
    live_bytes -= b->bytes;
    return GOOD;
}

static BOOL IsNested(ADDRINT site, ADDRINT sp)
{
    Locked locked(&probed_lock);
    return probed_is_nested(site, sp);
}

// --- replacements -------------------------------------------------------------------------------------------------------
enum Function { F_MALLOC, F_CALLOC, F_ALIGNED, F_VALLOC, F_POSIX, F_NEW, F_FREE, F_SIZED, F_REALLOC };
static const struct {
    const char *name;
    Function function;
    Family family;
} functions[] = {{"malloc", F_MALLOC, MALLOC},
                 {"calloc", F_CALLOC, MALLOC},
                 {"memalign", F_ALIGNED, MALLOC},
                 {"aligned_alloc", F_ALIGNED, MALLOC},
                 {"valloc", F_VALLOC, MALLOC},
                 {"pvalloc", F_VALLOC, MALLOC},
                 {"posix_memalign", F_POSIX, MALLOC},
                 {"realloc", F_REALLOC, MALLOC},
                 {"free", F_FREE, MALLOC},
                 {"_Znwm", F_NEW, NEW},
                 {"_ZnwmRKSt9nothrow_t", F_NEW, NEW},
                 {"_ZnwmSt11align_val_t", F_NEW, NEW},
                 {"_ZnwmSt11align_val_tRKSt9nothrow_t", F_NEW, NEW},
                 {"_Znam", F_NEW, NEW_ARRAY},
                 {"_ZnamRKSt9nothrow_t", F_NEW, NEW_ARRAY},
                 {"_ZnamSt11align_val_t", F_NEW, NEW_ARRAY},
                 {"_ZnamSt11align_val_tRKSt9nothrow_t", F_NEW, NEW_ARRAY},
                 {"_ZdlPv", F_FREE, NEW},
                 {"_ZdlPvRKSt9nothrow_t", F_FREE, NEW},
                 {"_ZdlPvSt11align_val_t", F_FREE, NEW},
                 {"_ZdlPvm", F_SIZED, NEW},
                 {"_ZdlPvmSt11align_val_t", F_SIZED, NEW},
                 {"_ZdaPv", F_FREE, NEW_ARRAY},
                 {"_ZdaPvRKSt9nothrow_t", F_FREE, NEW_ARRAY},
                 {"_ZdaPvSt11align_val_t", F_FREE, NEW_ARRAY},
                 {"_ZdaPvm", F_SIZED, NEW_ARRAY},
                 {"_ZdaPvmSt11align_val_t", F_SIZED, NEW_ARRAY}};

static ADDRINT Allocate(ProbedOriginal original, UINT32 which, ADDRINT site, ADDRINT sp, ADDRINT a, ADDRINT b,
                        ADDRINT c, ADDRINT d)
{
    Function function = functions[which].function;
    BOOL nested = IsNested(site, sp);
    ADDRINT result = probed_call(original, sp, a, b, c, d);
    Locked locked(&probed_lock);
    if (function != F_POSIX)
        Obtain(result,
               function == F_CALLOC    ? a * b
               : function == F_ALIGNED ? b
                                       : a,
               site, functions[which].family, nested);
    else if (!INT32(result))
        Obtain(*reinterpret_cast<ADDRINT *>(a), c, site, MALLOC, nested);
    return result;
}

// The table is told before the allocator, which may give the address to another thread at once.
static ADDRINT Free(ProbedOriginal original, UINT32 which, ADDRINT site, ADDRINT sp, ADDRINT a, ADDRINT b, ADDRINT c,
                    ADDRINT d)
{
    Family family = functions[which].family;
    if (a) {
        Locked locked(&probed_lock);
        UINT64 size = functions[which].function == F_SIZED ? b : 0;
        Verdict verdict = Release(a, site, family, size, frees[family], probed_is_nested(site, sp));
        if (verdict == WRONG && !KnobPass)
            return 0;
    }
    return probed_call(original, sp, a, b, c, d);
}

// The old block is out of the table while the allocator works; it comes back if that fails.
static ADDRINT Reallocate(ProbedOriginal original, UINT32, ADDRINT site, ADDRINT sp, ADDRINT a, ADDRINT b, ADDRINT c,
                          ADDRINT d)
{
    Block old = {};
    Verdict verdict = PASSES;
    BOOL nested = IsNested(site, sp);
    if (a) {
        Locked locked(&probed_lock);
        if (blocks.count(a))
            old = blocks[a];
        verdict = Release(a, site, MALLOC, 0, "realloc", nested);
        if (verdict == WRONG && !KnobPass)
            return 0;
    }
    ADDRINT result = probed_call(original, sp, a, b, c, d);
    Locked locked(&probed_lock);
    if (result)
        Obtain(result, b, site, MALLOC, nested);
    else if (verdict == GOOD && b) {
        blocks[a] = old;
        freed_blocks--;
        live_bytes += old.bytes;
    }
    return result;
}

// A library calls its own free for what it keeps; in a static program only the name tells.
static VOID NoteAllocator(IMG img)
{
    static const char *const names[] = {"__malloc_arena_thread_freeres", "tcache_thread_shutdown", "__libc_freeres"};
    if (!RTN_Valid(RTN_FindByName(img, "free")))
        return;
    Locked locked(&probed_lock);
    if (!IMG_IsMainExecutable(img))
        of_allocator[IMG_LowAddress(img)] = IMG_HighAddress(img);
    for (const char *name : names) {
        RTN rtn = IMG_IsMainExecutable(img) ? RTN_FindByName(img, name) : RTN_Invalid();
        if (RTN_Valid(rtn))
            of_allocator[RTN_Address(rtn)] = RTN_Address(rtn) + RTN_Size(rtn);
    }
}

static VOID Image(IMG img, VOID *)
{
    for (UINT32 i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        Function f = functions[i].function;
        probed_replace(img, functions[i].name, i, f == F_REALLOC ? Reallocate : f >= F_FREE ? Free : Allocate);
    }
    NoteAllocator(img);
}

// --- results ------------------------------------------------------------------------------------------------------------
static VOID Reset() // the child has its parent's blocks, but not its mistakes
{
    wrongs.clear();
    allocations = allocated_bytes = freed_blocks = 0;
    peak_bytes = live_bytes;
}

static ResultTrail Trail(Result *r, const char *title, ADDRINT site)
{
    ResultTrail t = {title, {int(r->frames.size())}};
    r->frames.push_back(where_place(where_note(site - 1)));
    return t;
}

static VOID AddWrongs(Result *r)
{
    for (const auto &w : wrongs) {
        ResultFinding f = {w.first.kind, w.first.text, w.second, {Trail(r, "called", w.first.site)}};
        if (w.first.freed)
            f.stacks.push_back(Trail(r, "the block was freed", w.first.freed));
        if (w.first.allocated)
            f.stacks.push_back(Trail(r, "the block was allocated", w.first.allocated));
        r->findings.push_back(f);
    }
}

static VOID AddLeaks(Result *r)
{
    std::map<std::string, std::pair<UINT64, UINT64>> sums; // bytes and blocks, by place
    for (const auto &b : blocks)
        if (!b.second.freed) {
            auto &sum = sums[probed_place(b.second.site)];
            sum.first += b.second.bytes;
            sum.second++;
        }
    ResultTable t = {"not freed", "", {{"bytes", "number"}, {"blocks", "number"}, {"allocated", "text"}}, {}};
    for (const auto &s : sums)
        t.rows.push_back({s.second.first, s.second.second, s.first});
    std::stable_sort(
        t.rows.begin(), t.rows.end(),
        [](const std::vector<ResultCell> &a, const std::vector<ResultCell> &b) { return a[0].whole > b[0].whole; });
    r->tables.push_back(t);
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    Locked locked(&probed_lock);
    probed_begin(&r, info);
    UINT64 live = 0, errors = 0;
    for (const auto &b : blocks)
        live += !b.second.freed;
    for (const auto &w : wrongs)
        errors += w.second;
    r.metrics = {{"allocations", "calls", "blocks that were allocated"},
                 {"allocated", "bytes", "their bytes"},
                 {"frees", "calls", "blocks that were freed"},
                 {"peak", "bytes", "at a time"},
                 {"live-blocks", "blocks", "not freed at the end"},
                 {"live-bytes", "bytes", "their bytes"},
                 {"errors", "calls", "wrong frees"}};
    r.totals = {allocations, allocated_bytes, freed_blocks, peak_bytes, live, live_bytes, errors};
    if (KnobLeaks)
        AddLeaks(&r);
    AddWrongs(&r);
    where_write(&r);
}

int main(int argc, char **argv)
{
    probed_start(argc, argv,
                 WhereTool{"heapwrap", "wrong frees and what is not freed, in probe mode", "line", "20", ""}, Image,
                 Results, Reset);
    PIN_StartProgramProbed();
}

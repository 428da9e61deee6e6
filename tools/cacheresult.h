/* SPDX-License-Identifier: Apache-2.0
 * The rest of cachetool.h: options, instrumentation, results. */
#ifndef CACHERESULT_H
#define CACHERESULT_H
#include <fstream>
#include <sched.h>
#include <sys/syscall.h>

/* --- instrumentation ---------------------------------------------------------------------------------------------------------- */

static Site *NewSite(INS ins)
{
    Site *s = new Site();
    s->id = where_note(INS_Address(ins));
    sites.push_back(s);
    return s;
}

static UINT32 QuickAt(ADDRINT line) { return UINT32(line & (QUICK - 1)); }

#define SLOW_DATA IARG_REG_VALUE, core_reg, IARG_MEMORYOP_EA, i, IARG_UINT32, bytes, IARG_UINT32, UINT32(write), IARG_PTR, site
#define FRAME IARG_REG_VALUE, REG_STACK_PTR, IARG_REG_VALUE, REG_GBP

template <int SHIFT> static VOID InsertLook(INS ins, UINT32 i, UINT32 bytes, BOOL write)
{
    if (shapes[DTLB].bytes)
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, write ? AFUNPTR(LookWritePage<SHIFT>) : AFUNPTR(LookReadPage<SHIFT>), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, core_reg,
            IARG_MEMORYOP_EA, i, IARG_UINT32, bytes - 1, IARG_END);
    else
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, write ? AFUNPTR(LookWrite<SHIFT>) : AFUNPTR(LookRead<SHIFT>), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, core_reg, IARG_MEMORYOP_EA, i,
            IARG_UINT32, bytes - 1, IARG_END);
}

/* An operand that is read and written gets one look, for the write. Predicated: a rep with a count of zero accesses nothing. */
static VOID InsertData(INS ins, UINT32 i, Site *site)
{
    UINT32 bytes = UINT32(INS_MemoryOperandSize(ins, i));
    BOOL write = INS_MemoryOperandIsWritten(ins, i);
    if (region_asked)
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(region_is_inside), IARG_FAST_ANALYSIS_CALL, IARG_THREAD_ID, IARG_END);
    else if (follows) {
        if (by_stack)
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(DataAndStack), SLOW_DATA, IARG_INST_PTR, FRAME, IARG_END);
        else
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Data), SLOW_DATA, IARG_END);
        return;
    } else if (shapes[L1D].line == 32)
        InsertLook<5>(ins, i, bytes, write);
    else if (shapes[L1D].line == 64)
        InsertLook<6>(ins, i, bytes, write);
    else
        InsertLook<7>(ins, i, bytes, write);
    if (by_stack)
        INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(DataAndStack), SLOW_DATA, IARG_INST_PTR, FRAME, IARG_END);
    else
        INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, !solo ? AFUNPTR(Data) : timed ? AFUNPTR(SoloData<TRUE>) : AFUNPTR(SoloData<FALSE>), SLOW_DATA, IARG_END);
}

/* The line that the code before has fetched is not looked for again. */
static VOID InsertFetch(INS ins, ADDRINT *fetched, Site **site)
{
    UINT32 shift = UINT32(__builtin_ctz(shapes[L1I].line)), bytes = UINT32(INS_Size(ins));
    ADDRINT a = INS_Address(ins), first = a >> shift, last = (a + bytes - 1) >> shift, page = (a + bytes - 1) >> 12;
    if (*fetched == first && first == last)
        return;
    *fetched = last;
    *site = *site ? *site : NewSite(ins);
    if (region_asked)
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(region_is_inside), IARG_FAST_ANALYSIS_CALL, IARG_THREAD_ID, IARG_END);
    else if (shapes[ITLB].bytes) /* over two lines: always a closer look, by a line that is nowhere */
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(LookFetchPage), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, core_reg, IARG_UINT32, QuickAt(first), IARG_ADDRINT, last,
            IARG_UINT32, QuickAt(page), IARG_ADDRINT, page, IARG_END);
    else if (first != last)
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(LookFetchTwo), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, core_reg, IARG_UINT32, QuickAt(first), IARG_UINT32, QuickAt(last),
            IARG_ADDRINT, first, IARG_END);
    else
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(LookFetch), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, core_reg, IARG_UINT32, QuickAt(first), IARG_ADDRINT, first, IARG_END);
    if (by_stack)
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(FetchAndStack), IARG_REG_VALUE, core_reg, IARG_INST_PTR, IARG_UINT32, bytes, IARG_PTR, *site, FRAME, IARG_END);
    else
        INS_InsertThenCall(ins, IPOINT_BEFORE, !solo ? AFUNPTR(Fetch) : timed ? AFUNPTR(SoloFetch<TRUE>) : AFUNPTR(SoloFetch<FALSE>), IARG_REG_VALUE, core_reg, IARG_INST_PTR, IARG_UINT32, bytes, IARG_PTR, *site, IARG_END);
}

static VOID OneInstruction(WhereBlock *block, INS ins, ADDRINT *fetched)
{
    Site *site = NULL;
    if (shapes[L1I].bytes)
        InsertFetch(ins, fetched, &site);
    if (!INS_IsStandardMemop(ins) || !INS_MemoryOperandCount(ins))
        return; /* gather, scatter, xsave: no single address and size */
    site = site ? site : NewSite(ins);
    InBlock known = {block, site, 0, 0};
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        BOOL write = INS_MemoryOperandIsWritten(ins, i);
        if (INS_IsPredicated(ins) || INS_HasRealRep(ins))
            REGION_PREDICATED_CALL(ins, tool_counter(), IARG_PTR, &site->extra[write], IARG_END);
        else
            (write ? known.writes : known.reads)++;
        InsertData(ins, i, site);
    }
    in_blocks.push_back(known);
}

static VOID Hook(WhereBlock *block, INS first)
{
    ADDRINT fetched = 0;
    INS ins = first;
    if (timed)
        REGION_CALL(first, AFUNPTR(Clock), IARG_FAST_ANALYSIS_CALL, IARG_REG_VALUE, core_reg, IARG_UINT32, block->instructions, IARG_END);
    for (UINT32 i = 0; i < block->instructions && INS_Valid(ins); i++, ins = INS_Next(ins))
        OneInstruction(block, ins, &fetched);
}

/* From now on there are locks, and words between cores. */
static VOID EndSolo()
{
    if (solo)
        PIN_RemoveInstrumentation();
    solo = FALSE;
}

/* The only thread is about to make another one: after its system call it runs in new code. */
static VOID BeforeSyscall(ADDRINT number, ADDRINT argument)
{
    UINT64 flags = 0;
    if (number == SYS_clone)
        flags = argument;
    else if (number != SYS_clone3 || PIN_SafeCopy(&flags, reinterpret_cast<VOID *>(argument), sizeof flags) != sizeof flags)
        return;
    if (flags & CLONE_THREAD)
        EndSolo();
}

static VOID Syscall(INS ins, VOID *)
{
    if (solo && INS_IsSyscall(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(BeforeSyscall), IARG_SYSCALL_NUMBER, IARG_SYSARG_VALUE, 0, IARG_END);
}

static VOID ThreadStart(THREADID tid, CONTEXT *ctxt, INT32, VOID *)
{
    Holding holding;
    Core *c = cores[tid] ? cores[tid] : new Core(); /* a number that was used before: a core with nothing in it */
    memset(c->read, 0xff, offsetof(Core, unit) - offsetof(Core, read));
    for (int u = 0; u < UNITS; u++)
        if (shapes[u].bytes && shapes[u].is_private) {
            delete c->unit[u];
            c->unit[u] = new CacheLevel(shapes[u], &c->clock);
        }
    if (tid)
        EndSolo(); /* an attach: no thread has run yet */
    c->tid = tid;
    cores[tid] = c;
    ncores = std::max(ncores, tid + 1);
    PIN_SetContextReg(ctxt, core_reg, ADDRINT(c));
}

/* --- results ------------------------------------------------------------------------------------------------------------------ */

static VOID AddRow(ResultTable *t, const std::string &name, UINT64 accesses, UINT64 misses) { t->rows.push_back({name, accesses, misses, tool_percent(misses, accesses)}); }

static VOID LevelTable(Result *r, UINT64 fetches, UINT64 reads, UINT64 writes)
{
    ResultTable t = {"levels", "", {{"level", "text"}, {"accesses", "count"}, {"misses", "count"}, {"rate", "percent"}}, {}};
    auto sum = [](int u) { return totals[u][0] + totals[u][1]; };
    if (shapes[ITLB].bytes)
        AddRow(&t, "itlb", fetches, sum(ITLB));
    if (shapes[DTLB].bytes)
        AddRow(&t, "dtlb", reads + writes, sum(DTLB));
    if (shapes[L1I].bytes)
        AddRow(&t, "l1i", fetches, sum(L1I));
    AddRow(&t, "l1d", reads + writes, sum(L1D));
    AddRow(&t, "l1d-reads", reads, totals[L1D][0]);
    AddRow(&t, "l1d-writes", writes, totals[L1D][1]);
    UINT64 down = sum(L1I) + sum(L1D);
    for (int u = L2; u <= L3; u++)
        if (shapes[u].bytes) {
            AddRow(&t, unit_names[u], down, sum(u));
            down = sum(u);
        }
    r->tables.push_back(t);
}

static VOID SharingTable(Result *r)
{
    if (contended.empty())
        return;
    ResultTable t = {"lines that cores take from each other", "", {{"line", "address"}, {"taken", "count"}, {"false", "count"}, {"true", "count"}, {"where", "text"}, {"most misses at", "text"}}, {}};
    std::vector<std::pair<ADDRINT, const Contended *>> order;
    for (auto &i : contended)
        order.push_back({i.first * shapes[L1D].line, &i.second});
    std::sort(order.begin(), order.end(), [](const std::pair<ADDRINT, const Contended *> &a, const std::pair<ADDRINT, const Contended *> &b) { return a.second->taken != b.second->taken ? a.second->taken > b.second->taken : a.first < b.first; });
    for (auto &i : order) {
        UINT32 most = 0;
        UINT64 n = 0;
        for (auto &s : i.second->sites)
            if (s.second > n) {
                most = s.first;
                n = s.second;
            }
        where_place(most); /* so that images and files are known */
        t.rows.push_back({UINT64(i.first), i.second->taken, i.second->falsely, i.second->truly, where_data(i.first, shapes[L1D].line), n ? tool_place(where_address(most)) : std::string()});
    }
    r->tables.push_back(t);
}

static VOID ReuseTable(Result *r)
{
    ResultTable t = {"reuse distance of data, in lines", "histogram", {{"distance", "text"}, {"uses", "count"}}, {}};
    for (int bits = 0; bits < 32; bits++)
        if (reuse_counts[bits])
            t.rows.push_back({bits ? decstr(1ul << (bits - 1)) + " to " + decstr((1ul << bits) - 1) : std::string("0"), reuse_counts[bits]});
    t.rows.push_back({"first use", reuse_first});
    r->tables.push_back(t);
}

static VOID EventTable(Result *r)
{
    ResultTable t = {"events", "", {{"event", "text"}, {"count", "count"}}, {}};
    t.rows.push_back({"lines taken from other cores", invalidations});
    t.rows.push_back({"modified lines that left l1d", writebacks});
    if (KnobPrefetch)
        t.rows.push_back({"lines prefetched", prefetches});
    r->tables.push_back(t);
}

static ResultValues TimeOf(int u)
{
    ResultValues v;
    UINT64 now = 0;
    for (THREADID t = 0; t < ncores; t++)
        now += cores[t] ? cores[t]->instructions : 0;
    for (size_t i = 0; i < MAX_STEPS && i <= now / step; i++)
        v.push_back(over_time[i][u]);
    return v;
}

/* Which sets of the first level for data miss when: a table for a picture. */
static VOID HeatTable(Result *r)
{
    static const size_t COLUMNS = 64;
    ResultTable t = {"l1d misses by set and time", "heatmap", {{"sets", "text"}}, {}};
    size_t steps = std::max(TimeOf(L1D).size(), size_t(1)), each = (steps + COLUMNS - 1) / COLUMNS;
    UINT64 sets = shapes[L1D].Sets(), rows = std::min(sets, UINT64(HEAT_ROWS));
    for (size_t i = 0; i < steps; i += each)
        t.columns.push_back({"from instruction " + decstr(i * step), "count"});
    for (UINT64 row = 0; row < rows; row++) {
        UINT64 first = row * sets / rows, last = (row + 1) * sets / rows - 1;
        t.rows.push_back({first == last ? "set " + decstr(first) : "sets " + decstr(first) + " to " + decstr(last)});
        for (size_t i = 0; i < steps; i += each) {
            UINT64 n = 0;
            for (size_t k = i; k < std::min(i + each, steps); k++)
                for (UINT64 h = row * HEAT_ROWS / rows; h < (row + 1) * HEAT_ROWS / rows; h++)
                    n += heat[k][h];
            t.rows.back().push_back(n);
        }
    }
    r->tables.push_back(t);
}

enum { METRIC_READS = UNITS, METRIC_WRITES, METRIC_FETCHES, METRIC_COHERENCE, METRICS };

static VOID Results(const lp_results_info *info)
{
    Result r;
    WhereCounts counts(METRICS);
    where_begin(&r, info);
    for (int u = 0; u < UNITS; u++)
        r.metrics.push_back({std::string(unit_names[u]) + "-misses", "count", std::string("misses in ") + unit_names[u]});
    r.metrics.insert(r.metrics.end(), {{"reads", "count", "reads of data"}, {"writes", "count", "writes of data"}, {"instructions", "count", "instructions executed"},
        {"coherence-misses", "count", "misses of lines that another core has taken away"}});
    for (Site *s : sites) {
        for (int u = 0; u < UNITS; u++)
            if (s->misses[u][0] + s->misses[u][1])
                counts.Add(s->id, -1, size_t(u), s->misses[u][0] + s->misses[u][1]);
        for (int write = 0; write < 2; write++)
            if (s->extra[write])
                counts.Add(s->id, -1, size_t(METRIC_READS + write), s->extra[write]);
        if (s->coherence)
            counts.Add(s->id, -1, METRIC_COHERENCE, s->coherence);
    }
    for (const InBlock &i : in_blocks) {
        if (i.block->executed && i.reads)
            counts.Add(i.site->id, -1, METRIC_READS, i.block->executed * i.reads);
        if (i.block->executed && i.writes)
            counts.Add(i.site->id, -1, METRIC_WRITES, i.block->executed * i.writes);
    }
    blocks_each([&](const WhereBlock *b, int, UINT64 executed) {
        for (UINT32 id : b->ids)
            counts.Add(id, -1, METRIC_FETCHES, executed * b->instructions / b->ids.size());
    });
    counts.Into(&r);
    if (by_stack)
        callers_into(&r);
    LevelTable(&r, r.totals[METRIC_FETCHES], r.totals[METRIC_READS], r.totals[METRIC_WRITES]);
    EventTable(&r);
    SharingTable(&r);
    if (KnobReuse)
        ReuseTable(&r);
    if (timed) {
        r.timeline.unit = "instructions";
        r.timeline.step = step;
        for (int u = 0; u < UNITS; u++)
            if (shapes[u].bytes)
                r.timeline.series.push_back({std::string(unit_names[u]) + "-misses", "", TimeOf(u)});
        if (KnobFormat.Value() == "json")
            HeatTable(&r);
    }
    where_drop_metrics(&r);
    where_write(&r);
}

/* Over a fork no other thread is amid a change of the caches: it is not in the child, where the lock would never be free. */
static VOID TakeLock(THREADID, const CONTEXT *, VOID *) { Holding::Take(); }
static VOID LeaveLock(THREADID, const CONTEXT *, VOID *) { Holding::Leave(); }

/* In the child of a fork the caches are as they were, and nothing has been counted. */
static VOID Reset()
{
    blocks_reset();
    if (by_stack)
        callers_reset();
    for (Site *s : sites) {
        UINT32 id = s->id;
        *s = Site();
        s->id = id;
    }
    memset(totals, 0, sizeof totals);
    prefetches = writebacks = invalidations = reuse_first = 0;
    memset(reuse_counts, 0, sizeof reuse_counts);
    memset(over_time, 0, sizeof over_time);
    memset(heat, 0, sizeof heat);
    for (THREADID t = 0; t < ncores; t++)
        if (cores[t])
            cores[t]->instructions = 0;
}

/* --- options ------------------------------------------------------------------------------------------------------------------ */

static const char *own_name;
static const char *cache_machine = "default";    /* when the user names none */
static std::string (*cache_first_level)();       /* what -l1d is when the user does not say */

static VOID Wrong(const std::string &what)
{
    fprintf(stderr, "E: %s: %s\n", own_name, what.c_str());
    exit(1);
}

static std::string FromSystem(int index, const char *file)
{
    std::ifstream f("/sys/devices/system/cpu/cpu0/cache/index" + decstr(index) + "/" + file);
    std::string word;
    f >> word;
    return word;
}

/* What the kernel says of the machine's caches. */
static std::string HostUnit(Unit u)
{
    for (int i = 0; i < 8 && u < DTLB; i++) {
        std::string level = FromSystem(i, "level"), type = FromSystem(i, "type");
        if (level != (u == L2 ? "2" : u == L3 ? "3" : "1") || (type != "Unified" && type != (u == L1I ? "Instruction" : "Data")))
            continue;
        return decstr(atoi(FromSystem(i, "size").c_str())) + "," + FromSystem(i, "ways_of_associativity") + "," + FromSystem(i, "coherency_line_size") + (u == L3 ? ",shared" : ",private");
    }
    return "0";
}

static std::string UnitText(Unit u)
{
    if (!unit_knobs[u]->Value().empty())
        return *unit_knobs[u];
    if (u == L1D && cache_first_level)
        return cache_first_level();
    std::string machine = KnobMachine.Value() == "default" ? cache_machine : KnobMachine.Value();
    if (machine == "host")
        return HostUnit(u);
    for (const Machine &m : machines)
        if (machine == m.name)
            return m.units[u];
    Wrong("-machine " + machine + ": not one of default, host, cachegrind, skylake, icelake, zen3, m1, a72");
    return "";
}

static VOID ReadWord(CacheShape *s, const std::string &word, const std::string &all)
{
    static const char *const policies[] = {"lru", "fifo", "random", "plru"};
    if (word == "private" || word == "shared") {
        s->is_private = word == "private";
        return;
    }
    for (int p = 0; p < 4; p++)
        if (word == policies[p]) {
            s->policy = CachePolicy(p);
            return;
        }
    Wrong(all + ": " + word + " is not one of lru, fifo, random, plru, private, shared");
}

static VOID ReadUnit(Unit u)
{
    BOOL tlb = u == DTLB || u == ITLB;
    std::string text = UnitText(u), all = std::string("-") + unit_names[u] + " " + text;
    CacheShape s = {0, 0, 4096, CACHE_LRU, u != L3};
    UINT32 size = 0;
    int used = 0, n = sscanf(text.c_str(), tlb ? "%u,%u%n" : "%u,%u,%u%n", &size, &s.ways, tlb ? reinterpret_cast<UINT32 *>(&used) : &s.line, &used);
    if (text == "0")
        return;
    s.bytes = UINT64(size) * (tlb ? 4096 : 1024);
    for (size_t at = size_t(used); used && at < text.size();) {
        size_t end = std::min(text.find(',', at + 1), text.size());
        ReadWord(&s, text.substr(at + 1, end - at - 1), all);
        at = end;
    }
    BOOL first = u != L2 && u != L3, power = s.Sets() && !(s.Sets() & (s.Sets() - 1));
    if (n < (tlb ? 2 : 3) || !s.Fits() || (first && !power) || (s.policy == CACHE_PLRU && (s.ways & (s.ways - 1) || s.ways > 64)) || (u == L1D && (s.line < 32 || s.line > 128)))
        Wrong(all + ": wrong: size is sets * ways * line; a line of l1d has 32, 64 or 128 bytes; l1 and TLBs have a power of two of sets; plru has a power of two of ways");
    shapes[u] = s;
    if (!s.is_private)
        shared[u] = new CacheLevel(s, NULL);
}

static VOID ReadOptions()
{
    for (int u = 0; u < UNITS; u++)
        ReadUnit(Unit(u));
    if (!shapes[L1D].bytes)
        Wrong("-l1d 0: there is always a first level for data");
    for (int u : {L1I, L2, L3})
        if (shapes[u].bytes && shapes[u].line != shapes[L1D].line)
            Wrong("all levels have lines of the same size");
    if ((KnobCoherence.Value() != "mesi" && KnobCoherence.Value() != "none") || (KnobInclusion.Value() != "none" && KnobInclusion.Value() != "inclusive"))
        Wrong("-coherence is mesi or none, -inclusion is inclusive or none");
    mesi = KnobCoherence.Value() == "mesi";
    inclusive = KnobInclusion.Value() == "inclusive";
    timed = KnobTimeline.Value() || KnobFormat.Value() == "json";
    step = KnobTimeline.Value() ? KnobTimeline.Value() : 100000;
    follows = KnobReuse;
    data_shift = UINT32(__builtin_ctz(shapes[L1D].line));
    fetch_shift = shapes[L1I].bytes ? UINT32(__builtin_ctz(shapes[L1I].line)) : 6;
    solo = !inclusive && !follows && !KnobPrefetch && !by_stack;
    for (int u = 0; u < UNITS; u++)
        solo &= shapes[u].policy == CACHE_LRU;
}

static inline int cache_run(int argc, char **argv, const WhereTool &tool)
{
    own_name = tool.name;
    where_start(argc, argv, tool);
    if (where_by & WHERE_THREAD)
        Wrong("-by thread: misses are told by place; -tid chooses a thread");
    by_stack = callers_start(METRICS);
    ReadOptions();
    core_reg = PIN_ClaimToolRegister();
    blocks_hook = Hook;
    INS_AddInstrumentFunction(Syscall, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddForkFunction(FPOINT_BEFORE, TakeLock, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, LeaveLock, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, LeaveLock, 0);
    blocks_start();
    tool_results(Results, Reset);
    PIN_StartProgram();
}

#endif

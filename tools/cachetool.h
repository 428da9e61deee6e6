/* SPDX-License-Identifier: Apache-2.0
 * cache, and dcache and allcache with other defaults: a model of the memory hierarchy, and which code misses in it. Each thread is a core with levels of its own, and all share the
 * others. What an access finds in the first level is looked up in the trace itself and costs a few instructions; only the rest is a call. How often a place was
 * executed is known from the counters of blocks. */
#ifndef CACHETOOL_H
#define CACHETOOL_H
#include "cachelevel.h"
#include "lib/blocks.h"
#include "lib/callers.h"

#include <algorithm>
#include <map>

enum Unit { L1D, L2, L3, L1I, DTLB, ITLB, UNITS };
static const char *const unit_names[] = {"l1d", "l2", "l3", "l1i", "dtlb", "itlb"};

static KNOB<std::string> KnobL1i(KNOB_MODE_WRITEONCE, "pintool", "l1i", "", "instruction cache: KiB,ways,bytes in a line[,lru|fifo|random|plru] (0: none)");
static KNOB<std::string> KnobL1d(KNOB_MODE_WRITEONCE, "pintool", "l1d", "", "data cache, likewise");
static KNOB<std::string> KnobL2(KNOB_MODE_WRITEONCE, "pintool", "l2", "", "second level, likewise, and [,private|shared]");
static KNOB<std::string> KnobL3(KNOB_MODE_WRITEONCE, "pintool", "l3", "", "third level, likewise");
static KNOB<std::string> KnobItlb(KNOB_MODE_WRITEONCE, "pintool", "itlb", "", "instruction TLB: entries,ways (pages of 4 KiB; 0: none)");
static KNOB<std::string> KnobDtlb(KNOB_MODE_WRITEONCE, "pintool", "dtlb", "", "data TLB, likewise");
static KNOB<std::string> KnobMachine(KNOB_MODE_WRITEONCE, "pintool", "machine", "default", "a machine's hierarchy: default, host, cachegrind, skylake, icelake, zen3, m1, a72");
static KNOB<std::string> KnobInclusion(KNOB_MODE_WRITEONCE, "pintool", "inclusion", "none", "what the last level promises: inclusive (what it loses, all lose) or none");
static KNOB<std::string> KnobCoherence(KNOB_MODE_WRITEONCE, "pintool", "coherence", "mesi", "between private caches: mesi or none");
static KNOB<BOOL> KnobPrefetch(KNOB_MODE_WRITEONCE, "pintool", "prefetch", "0", "a miss in the first level also brings the next line into the second");
static KNOB<BOOL> KnobReuse(KNOB_MODE_WRITEONCE, "pintool", "reuse", "0", "the reuse distance of data: how many other lines were used between two uses of a line");
static KNOB<UINT64> KnobTimeline(KNOB_MODE_WRITEONCE, "pintool", "timeline", "0", "misses over time: a step of so many instructions at least (0: 100000 in a format that shows it)");

/* In the order of enum Unit. */
static KNOB<std::string> *const unit_knobs[] = {&KnobL1d, &KnobL2, &KnobL3, &KnobL1i, &KnobDtlb, &KnobItlb};

struct Machine {
    const char *name, *units[UNITS];
};
static const Machine machines[] = {
    {"default", {"32,8,64", "1024,16,64", "16384,16,64", "32,8,64", "0", "0"}},
    {"allcache", {"32,8,64", "1024,16,64,shared", "16384,16,64", "32,8,64", "64,4", "64,8"}},
    {"dcache", {"32,8,64", "0", "0", "0", "0", "0"}},
    {"cachegrind", {"32,8,64", "8192,16,64,shared", "0", "32,8,64", "0", "0"}},
    {"skylake", {"32,8,64", "1024,16,64", "22528,11,64", "32,8,64", "64,4", "128,8"}},
    {"icelake", {"48,12,64", "1280,20,64", "24576,12,64", "32,8,64", "64,4", "128,8"}},
    {"zen3", {"32,8,64", "512,8,64", "32768,16,64", "32,8,64", "64,64", "64,64"}},
    {"m1", {"128,8,64", "12288,12,64,shared", "0", "192,6,64", "160,5", "192,6"}},
    {"a72", {"32,2,64", "1024,16,64,shared", "0", "48,3,64", "32,32", "48,48"}},
};

static CacheShape shapes[UNITS];
static BOOL mesi, inclusive, timed, follows; /* follows: every access is looked at, not only those that may miss */

/* Where code is that accesses memory, or begins a line. */
struct Site {
    UINT32 id;
    UINT64 extra[2];          /* accesses that the block's counter does not tell (predicated) */
    UINT64 misses[UNITS][2];  /* reads and fetches, writes */
    UINT64 coherence;
};
static std::vector<Site *> sites;
struct InBlock {
    WhereBlock *block;
    Site *site;
    UINT32 reads, writes;
};
static std::vector<InBlock> in_blocks; /* how often a block's execution accesses */

/* Where the entry of a line is, by the line's last bits: what the inlined look wants. ~0: none. */
struct Quick {
    ADDRINT line;
    UINT64 *stamp;
};
static const UINT32 QUICK = 2048;

struct Core {
    UINT64 clock; /* of its own levels: counts uses */
    UINT64 instructions;
    Quick read[QUICK], write[QUICK]; /* write: those that the core may write without a word to the others */
    Quick fetch[QUICK], dpage[QUICK], ipage[QUICK];
    CacheLevel *unit[UNITS]; /* NULL where it is shared, or not there */
    THREADID tid;
};
static Core *cores[PIN_MAX_THREADS];
static THREADID ncores;
static CacheLevel *shared[UNITS];
static REG core_reg;
static UINT8 lock; /* of all caches: an exchange, because most of its holders are done in a hundred instructions */
static UINT64 totals[UNITS][2], prefetches, writebacks, invalidations;

class Holding
{
  public:
    Holding() { Take(); }
    ~Holding() { Leave(); }
    static VOID Take()
    {
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
            PIN_Yield();
    }
    static VOID Leave() { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
};

/* --- analysis: does it take a closer look? ------------------------------------------------------------------------------------ */

/* 0: the line is there, and its use is noted. An access over two lines never finds both in one place. */
template <int SHIFT> static ADDRINT PIN_FAST_ANALYSIS_CALL LookRead(Core *c, ADDRINT a, UINT32 last)
{
    Quick *q = &c->read[(a >> SHIFT) & (QUICK - 1)];
    if (q->line != (a + last) >> SHIFT)
        return 1;
    *q->stamp = ++c->clock;
    return 0;
}
template <int SHIFT> static ADDRINT PIN_FAST_ANALYSIS_CALL LookWrite(Core *c, ADDRINT a, UINT32 last)
{
    Quick *q = &c->write[(a >> SHIFT) & (QUICK - 1)];
    if (q->line != (a + last) >> SHIFT)
        return 1;
    *q->stamp = ++c->clock;
    return 0;
}
/* With a TLB. */
static inline ADDRINT LookBoth(Core *c, Quick *q, ADDRINT line, Quick *p, ADDRINT page)
{
    if ((q->line ^ line) | (p->line ^ page))
        return 1;
    *q->stamp = ++c->clock;
    *p->stamp = c->clock;
    return 0;
}
template <int SHIFT> static ADDRINT PIN_FAST_ANALYSIS_CALL LookReadPage(Core *c, ADDRINT a, UINT32 last)
{
    return LookBoth(c, &c->read[(a >> SHIFT) & (QUICK - 1)], (a + last) >> SHIFT, &c->dpage[(a >> 12) & (QUICK - 1)], (a + last) >> 12);
}
template <int SHIFT> static ADDRINT PIN_FAST_ANALYSIS_CALL LookWritePage(Core *c, ADDRINT a, UINT32 last)
{
    return LookBoth(c, &c->write[(a >> SHIFT) & (QUICK - 1)], (a + last) >> SHIFT, &c->dpage[(a >> 12) & (QUICK - 1)], (a + last) >> 12);
}
/* at: of the line's entry in `fetch`. */
static ADDRINT PIN_FAST_ANALYSIS_CALL LookFetch(Core *c, UINT32 at, ADDRINT line)
{
    if (c->fetch[at].line != line)
        return 1;
    *c->fetch[at].stamp = ++c->clock;
    return 0;
}
static ADDRINT PIN_FAST_ANALYSIS_CALL LookFetchTwo(Core *c, UINT32 at, UINT32 next, ADDRINT line)
{
    if ((c->fetch[at].line ^ line) | (c->fetch[next].line ^ (line + 1)))
        return 1;
    *c->fetch[at].stamp = ++c->clock;
    *c->fetch[next].stamp = ++c->clock;
    return 0;
}
static ADDRINT PIN_FAST_ANALYSIS_CALL LookFetchPage(Core *c, UINT32 at, ADDRINT line, UINT32 page_at, ADDRINT page) { return LookBoth(c, &c->fetch[at], line, &c->ipage[page_at], page); }
static VOID PIN_FAST_ANALYSIS_CALL Clock(Core *c, UINT32 n) { c->instructions += n; }

/* --- time ----------------------------------------------------------------------------------------------------------------------- */

static const size_t MAX_STEPS = 2048;
static UINT64 step;
static UINT64 over_time[MAX_STEPS][UNITS];
static const UINT32 HEAT_ROWS = 64;
static UINT32 heat[MAX_STEPS][HEAT_ROWS]; /* misses of the first level for data by their sets, in so many groups */
static size_t time_at;                    /* the step of the last miss */

/* When there are too many steps, two become one. */
static VOID Halve()
{
    for (size_t i = 0; i < MAX_STEPS; i++)
        for (int u = 0; u < UNITS; u++) {
            UINT64 n = over_time[i][u];
            over_time[i][u] = 0;
            over_time[i / 2][u] += n;
        }
    for (size_t i = 0; i < MAX_STEPS; i++)
        for (UINT32 row = 0; row < HEAT_ROWS; row++) {
            UINT32 n = heat[i][row];
            heat[i][row] = 0;
            heat[i / 2][row] += n;
        }
    step *= 2;
}

static VOID NoteTime(Unit u)
{
    UINT64 now = 0;
    for (THREADID t = 0; t < ncores; t++)
        now += cores[t] ? cores[t]->instructions : 0;
    while (now / step >= MAX_STEPS)
        Halve();
    time_at = now / step;
    over_time[time_at][u]++;
}

/* After a miss of the first level for data. */
static VOID NoteHeat(const CacheLevel *level, ADDRINT line) { heat[time_at][level->SetOf(line) * HEAT_ROWS / shapes[L1D].Sets()]++; }

/* --- sharing between cores -------------------------------------------------------------------------------------------------- */

/* A line that one core has taken away from another. From then on all its accesses are looked at. */
struct Contended {
    UINT64 taken, falsely, truly;
    std::map<THREADID, UINT64> written_since; /* by others, since the core lost it: a bit for each byte of 64 */
    std::map<UINT32, UINT64> sites;           /* who missed */
};
static std::map<ADDRINT, Contended> contended;

static UINT64 BytesOf(ADDRINT a, UINT32 bytes, UINT32 line)
{
    UINT32 from = UINT32(a & (line - 1)) * 64 / line, n = std::max(bytes * 64 / line, 1u);
    return (n >= 64 ? ~0ull : (1ull << n) - 1) << from;
}

static CacheEntry *PrivateEntry(Core *c, ADDRINT line)
{
    CacheEntry *e = c->unit[L1D]->Find(line);
    return e || !c->unit[L2] ? e : c->unit[L2]->Find(line);
}

static VOID ForgetIn(Quick *table, ADDRINT line)
{
    if (table[line & (QUICK - 1)].line == line)
        __atomic_store_n(&table[line & (QUICK - 1)].line, ~0ul, __ATOMIC_RELAXED);
}
static VOID Forget(Core *c, ADDRINT line)
{
    ForgetIn(c->read, line);
    ForgetIn(c->write, line);
}
static VOID Remember(Quick *table, ADDRINT line, UINT64 *stamp)
{
    table[line & (QUICK - 1)].stamp = stamp;
    __atomic_store_n(&table[line & (QUICK - 1)].line, line, __ATOMIC_RELEASE);
}

/* The line goes to core c, for reading or writing. Returns the state that it has there. */
static CacheState AskOthers(Core *c, ADDRINT line, BOOL write)
{
    CacheState state = write ? CACHE_MODIFIED : CACHE_EXCLUSIVE;
    for (THREADID t = 0; mesi && t < ncores; t++) {
        Core *o = cores[t];
        CacheEntry *e = o && o != c ? PrivateEntry(o, line) : NULL;
        if (!e)
            continue;
        writebacks += e->State() == CACHE_MODIFIED;
        Forget(o, line);
        if (write) {
            invalidations++;
            contended[line].taken++;
            contended[line].written_since[t] = 0;
            o->unit[L1D]->Drop(line);
            if (o->unit[L2])
                o->unit[L2]->Drop(line);
            continue;
        }
        state = CACHE_SHARED;
        for (int u : {L1D, L2})
            if (o->unit[u] && (e = o->unit[u]->Find(line)))
                e->Set(CACHE_SHARED);
    }
    return state;
}

static VOID NoteSharing(Core *c, Site *site, ADDRINT line, ADDRINT a, UINT32 bytes, BOOL write, BOOL missed)
{
    auto at = contended.find(line);
    if (at == contended.end())
        return;
    UINT64 mask = BytesOf(a, bytes, shapes[L1D].line);
    auto lost = at->second.written_since.find(c->tid);
    if (missed && lost != at->second.written_since.end()) {
        (lost->second & mask ? at->second.truly : at->second.falsely)++;
        at->second.sites[site->id]++;
        site->coherence++;
        at->second.written_since.erase(lost);
    }
    for (auto &other : at->second.written_since)
        if (write && other.first != c->tid)
            other.second |= mask;
}

/* --- the levels ------------------------------------------------------------------------------------------------------------- */

static CacheLevel *LevelOf(Core *c, int u) { return c->unit[u] ? c->unit[u] : shared[u]; }

/* With -stack: the access that is looked at, under the lock. Its stack is asked for at its first miss. */
static BOOL by_stack;
static struct {
    THREADID tid;
    ADDRINT pc, sp, bp;
    UINT32 stack;
    BOOL is_known;
} now_at;

static VOID CountStack(size_t metric)
{
    if (!now_at.is_known)
        now_at.stack = callers_take(now_at.tid, now_at.pc, now_at.sp, now_at.bp);
    now_at.is_known = TRUE;
    callers_count(now_at.stack, metric, 1);
}

static VOID Missed(Site *site, Unit u, BOOL write)
{
    site->misses[u][write]++;
    totals[u][write]++;
    if (by_stack)
        CountStack(u);
    if (timed)
        NoteTime(u);
}

static VOID DropEverywhere(ADDRINT line)
{
    for (THREADID t = 0; t < ncores; t++) {
        if (!cores[t])
            continue;
        for (int u : {L1D, L1I, L2})
            if (cores[t]->unit[u])
                cores[t]->unit[u]->Drop(line);
        Forget(cores[t], line);
        ForgetIn(cores[t]->fetch, line);
    }
}

static VOID Put(CacheLevel *level, ADDRINT line, CacheState state, BOOL last)
{
    CacheEntry gone = level->Put(line, state);
    if (gone.word && last && inclusive)
        DropEverywhere(gone.Line());
}

static BOOL BelowLine(Core *c, int u, ADDRINT line, CacheState state)
{
    CacheLevel *level = LevelOf(c, u);
    CacheEntry *e = level->Use(line);
    if (e)
        e->Set(c->unit[u] ? state : std::max(e->State(), state));
    else
        Put(level, line, state, u == L3 || !LevelOf(c, L3));
    return e != NULL;
}

/* The levels after the first one. What misses at one level is looked up at the next, whole, and is brought into all that miss. */
static VOID Below(Core *c, Site *site, ADDRINT first, ADDRINT last, BOOL write, Unit from)
{
    for (int u = L2; u <= L3; u++) {
        BOOL hit = TRUE;
        for (ADDRINT line = first; LevelOf(c, u) && line <= last; line++) {
            CacheEntry *e = from == L1D ? c->unit[L1D]->Find(line) : NULL;
            hit &= BelowLine(c, u, line, e ? e->State() : CACHE_SHARED);
        }
        if (LevelOf(c, u) && hit)
            return;
        if (LevelOf(c, u))
            Missed(site, Unit(u), write);
    }
}

static VOID Prefetch(Core *c, ADDRINT line)
{
    CacheLevel *level = LevelOf(c, L2);
    if (!level || level->Find(line))
        return;
    prefetches++;
    Put(level, line, AskOthers(c, line, FALSE), !LevelOf(c, L3));
}

static UINT64 unused_stamp; /* where the policy asks for no order of uses */

static BOOL DataLine(Core *c, Site *site, ADDRINT line, BOOL write, ADDRINT a, UINT32 bytes)
{
    CacheEntry *e = c->unit[L1D]->Use(line);
    BOOL hit = e != NULL;
    if (e && write && e->State() != CACHE_MODIFIED)
        e->Set(e->State() == CACHE_SHARED ? AskOthers(c, line, TRUE) : CACHE_MODIFIED);
    CacheState state = e ? e->State() : AskOthers(c, line, write);
    NoteSharing(c, site, line, a, bytes, write, !hit);
    if (!hit) {
        CacheEntry gone = c->unit[L1D]->Put(line, state);
        writebacks += gone.State() == CACHE_MODIFIED;
        if (gone.word)
            Forget(c, gone.Line());
    }
    BOOL quick = !follows && shapes[L1D].policy != CACHE_PLRU && (contended.empty() || contended.find(line) == contended.end());
    UINT64 *stamp = shapes[L1D].policy == CACHE_LRU ? &c->unit[L1D]->Find(line)->stamp : &unused_stamp;
    Forget(c, line);
    if (quick)
        Remember(c->read, line, stamp);
    if (quick && state == CACHE_MODIFIED)
        Remember(c->write, line, stamp);
    return hit;
}

/* A line of instructions, or a page. */
static BOOL PlainLine(Core *c, Unit u, Quick *table, ADDRINT line)
{
    CacheEntry *e = c->unit[u]->Use(line);
    if (!e) {
        CacheEntry gone = c->unit[u]->Put(line, CACHE_SHARED);
        if (gone.word)
            ForgetIn(table, gone.Line());
    }
    if (shapes[u].policy != CACHE_PLRU)
        Remember(table, line, shapes[u].policy == CACHE_LRU ? &c->unit[u]->Find(line)->stamp : &unused_stamp);
    return e != NULL;
}

static VOID Pages(Core *c, Site *site, Unit tlb, Quick *table, ADDRINT a, UINT32 bytes, BOOL write)
{
    BOOL hit = TRUE;
    for (ADDRINT page = a >> 12; c->unit[tlb] && page <= (a + bytes - 1) >> 12; page++)
        hit &= PlainLine(c, tlb, table, page);
    if (!hit)
        Missed(site, tlb, write);
}

/* --- reuse distance --------------------------------------------------------------------------------------------------------- */

/* The time of each line's last use, and a tree that counts lines by it. When the times have run through, lines are numbered anew. */
static const size_t REUSE_TIMES = 1 << 22;
static std::vector<UINT32> reuse_tree;
static std::unordered_map<ADDRINT, UINT32> reuse_last;
static UINT32 reuse_now;
static UINT64 reuse_counts[48], reuse_first; /* by the number of bits of the distance */

static VOID ReuseAdd(UINT32 at, INT32 n)
{
    for (; at <= REUSE_TIMES; at += at & -at)
        reuse_tree[at] += UINT32(n);
}
static UINT32 ReuseUpTo(UINT32 at)
{
    UINT32 sum = 0;
    for (; at; at -= at & -at)
        sum += reuse_tree[at];
    return sum;
}
static VOID ReuseRenumber()
{
    std::vector<std::pair<UINT32, ADDRINT>> order;
    for (auto &i : reuse_last)
        order.push_back({i.second, i.first});
    std::sort(order.begin(), order.end());
    if (order.size() > REUSE_TIMES / 2)
        order.erase(order.begin(), order.begin() + long(order.size() - REUSE_TIMES / 2)); /* used so long ago that they are as good as new */
    reuse_last.clear();
    reuse_tree.assign(REUSE_TIMES + 1, 0);
    reuse_now = 0;
    for (auto &i : order) {
        reuse_last[i.second] = ++reuse_now;
        ReuseAdd(reuse_now, 1);
    }
}
static VOID Reuse(ADDRINT line)
{
    if (reuse_tree.empty() || reuse_now == REUSE_TIMES)
        ReuseRenumber();
    UINT32 &last = reuse_last[line];
    if (last) {
        UINT32 distance = UINT32(reuse_last.size()) - ReuseUpTo(last);
        reuse_counts[distance ? 32 - __builtin_clz(distance) : 0]++;
        ReuseAdd(last, -1);
    } else
        reuse_first++;
    last = ++reuse_now;
    ReuseAdd(last, 1);
}

/* --- analysis: the closer look ---------------------------------------------------------------------------------------------- */

static VOID LookAtData(Core *c, ADDRINT a, UINT32 bytes, UINT32 write, Site *site)
{
    UINT32 shift = UINT32(__builtin_ctz(shapes[L1D].line));
    BOOL hit = TRUE;
    Pages(c, site, DTLB, c->dpage, a, bytes, write);
    std::pair<ADDRINT, ADDRINT> lines(a >> shift, (a + bytes - 1) >> shift);
    for (ADDRINT line = lines.first; line <= lines.second; line++) {
        if (KnobReuse)
            Reuse(line);
        hit &= DataLine(c, site, line, write, a, bytes);
    }
    if (hit)
        return;
    Missed(site, L1D, write);
    if (timed)
        NoteHeat(c->unit[L1D], lines.first);
    Below(c, site, lines.first, lines.second, write, L1D);
    if (KnobPrefetch)
        Prefetch(c, lines.second + 1);
}

static VOID LookAtFetch(Core *c, ADDRINT a, UINT32 bytes, Site *site)
{
    UINT32 shift = UINT32(__builtin_ctz(shapes[L1I].line));
    BOOL hit = TRUE;
    Pages(c, site, ITLB, c->ipage, a, bytes, FALSE);
    for (ADDRINT line = a >> shift; line <= (a + bytes - 1) >> shift; line++)
        hit &= PlainLine(c, L1I, c->fetch, line);
    if (hit)
        return;
    Missed(site, L1I, FALSE);
    Below(c, site, a >> shift, (a + bytes - 1) >> shift, FALSE, L1I);
}

static VOID Data(Core *c, ADDRINT a, UINT32 bytes, UINT32 write, Site *site)
{
    Holding holding;
    LookAtData(c, a, bytes, write, site);
}
static VOID Fetch(Core *c, ADDRINT a, UINT32 bytes, Site *site)
{
    Holding holding;
    LookAtFetch(c, a, bytes, site);
}

static VOID DataAndStack(Core *c, ADDRINT a, UINT32 bytes, UINT32 write, Site *site, ADDRINT pc, ADDRINT sp, ADDRINT bp)
{
    Holding holding;
    now_at = {c->tid, pc, sp, bp, 0, FALSE};
    LookAtData(c, a, bytes, write, site);
}
static VOID FetchAndStack(Core *c, ADDRINT a, UINT32 bytes, Site *site, ADDRINT sp, ADDRINT bp)
{
    Holding holding;
    now_at = {c->tid, a, sp, bp, 0, FALSE};
    LookAtFetch(c, a, bytes, site);
}

/* --- the same for one core, with LRU everywhere and nothing out of the ordinary: few enough instructions for a cheap call ---------------- */

static BOOL solo;

static BOOL SoloLevel(CacheLevel *level, Quick *table, ADDRINT first, ADDRINT last)
{
    CacheEntry gone;
    BOOL hit = TRUE, here;
    for (ADDRINT line = first; line <= last; line++) {
        CacheEntry *e = level->Touch(line, CACHE_SHARED, &gone, &here);
        hit &= here;
        if (!table)
            continue;
        if (!here && table[gone.Line() & (QUICK - 1)].line == gone.Line())
            table[gone.Line() & (QUICK - 1)].line = ~0ul;
        table[line & (QUICK - 1)].line = line;
        table[line & (QUICK - 1)].stamp = &e->stamp;
    }
    return hit;
}

/* Only what is timed takes the code for that along: then a call has all state saved. */
template <BOOL TIMED> static VOID SoloMissed(Core *c, Site *site, int u, UINT32 write)
{
    site->misses[u][write]++;
    totals[u][write]++;
    if (!TIMED)
        return;
    while (c->instructions / step >= MAX_STEPS)
        Halve();
    time_at = c->instructions / step;
    over_time[time_at][u]++;
}

template <BOOL TIMED> static VOID SoloBelow(Core *c, Site *site, ADDRINT first, ADDRINT last, UINT32 write)
{
    for (int u = L2; u <= L3; u++) {
        if (!shapes[u].bytes)
            continue;
        if (SoloLevel(c->unit[u] ? c->unit[u] : shared[u], NULL, first, last))
            return;
        SoloMissed<TIMED>(c, site, u, write);
    }
}

template <BOOL TIMED> static VOID SoloPages(Core *c, Site *site, int tlb, Quick *table, ADDRINT a, UINT32 bytes, UINT32 write)
{
    if (c->unit[tlb] && !SoloLevel(c->unit[tlb], table, a >> 12, (a + bytes - 1) >> 12))
        SoloMissed<TIMED>(c, site, tlb, write);
}

static UINT32 data_shift, fetch_shift;

static BOOL SoloLine(Core *c, ADDRINT line, UINT32 write)
{
    CacheEntry gone, *e;
    BOOL here;
    Quick *read = &c->read[line & (QUICK - 1)], *to_write = &c->write[line & (QUICK - 1)];
    e = c->unit[L1D]->Touch(line, write ? CACHE_MODIFIED : CACHE_EXCLUSIVE, &gone, &here);
    if (!here && c->read[gone.Line() & (QUICK - 1)].line == gone.Line())
        c->read[gone.Line() & (QUICK - 1)].line = ~0ul;
    if (!here && c->write[gone.Line() & (QUICK - 1)].line == gone.Line())
        c->write[gone.Line() & (QUICK - 1)].line = ~0ul;
    writebacks += !here && gone.State() == CACHE_MODIFIED;
    read->line = line;
    read->stamp = to_write->stamp = &e->stamp;
    to_write->line = e->State() == CACHE_MODIFIED ? line : ~0ul;
    return here;
}

template <BOOL TIMED> static VOID SoloData(Core *c, ADDRINT a, UINT32 bytes, UINT32 write, Site *site)
{
    ADDRINT first = a >> data_shift, last = (a + bytes - 1) >> data_shift;
    BOOL hit = TRUE;
    SoloPages<TIMED>(c, site, DTLB, c->dpage, a, bytes, write);
    for (ADDRINT line = first; line <= last; line++)
        hit &= SoloLine(c, line, write);
    if (hit)
        return;
    SoloMissed<TIMED>(c, site, L1D, write);
    if (TIMED)
        NoteHeat(c->unit[L1D], first);
    SoloBelow<TIMED>(c, site, first, last, write);
}

template <BOOL TIMED> static VOID SoloFetch(Core *c, ADDRINT a, UINT32 bytes, Site *site)
{
    ADDRINT first = a >> fetch_shift, last = (a + bytes - 1) >> fetch_shift;
    SoloPages<TIMED>(c, site, ITLB, c->ipage, a, bytes, 0);
    if (SoloLevel(c->unit[L1I], c->fetch, first, last))
        return;
    SoloMissed<TIMED>(c, site, L1I, 0);
    SoloBelow<TIMED>(c, site, first, last, 0);
}

#include "cacheresult.h"
#endif

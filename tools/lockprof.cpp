// SPDX-License-Identifier: Apache-2.0
// lockprof: for each pthread mutex how often it was locked, how often another thread held it then, how long threads waited for it and how long they held it, and where.
#include "lib/where.h"
#include "region.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <vector>

struct Times {
    UINT64 all, longest;
    VOID Add(UINT64 ns)
    {
        all += ns;
        longest = std::max(longest, ns);
    }
    VOID Add(const Times &more)
    {
        all += more.all;
        longest = std::max(longest, more.longest);
    }
};
struct Count {
    UINT64 locks, contended, refused;
    Times wait, hold;
    VOID Add(const Count &more)
    {
        locks += more.locks;
        contended += more.contended;
        refused += more.refused;
        wait.Add(more.wait);
        hold.Add(more.hold);
    }
};
typedef std::pair<ADDRINT, THREADID> Site; // the return address of the call
struct Mutex {
    ADDRINT address;
    THREADID owner;
    UINT32 depth; // of a recursive one
    UINT64 since;
    ADDRINT site; // where it was locked
    BOOL counts;  // and that is to be counted
    std::map<Site, Count> sites;
};
struct Pending { // a call that has not returned
    Mutex *mutex;
    ADDRINT site;
    UINT64 since;
    BOOL contended;
};
static std::map<ADDRINT, Mutex> mutexes;
static Pending pending[PIN_MAX_THREADS];
static PIN_LOCK lock; // of all of these

static UINT64 Now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return UINT64(t.tv_sec) * 1000000000 + UINT64(t.tv_nsec);
}

static Mutex *Find(ADDRINT address)
{
    Mutex *m = &mutexes[address];
    if (!m->address)
        m->owner = INVALID_THREADID;
    m->address = address;
    return m;
}

// --- analysis: the clock is read outside of the tool's own lock -------------------------------------------------------------
static VOID BeforeLock(THREADID tid, ADDRINT address, ADDRINT site)
{
    Locked locked(&lock);
    Mutex *m = Find(address);
    Pending p = {m, site, 0, m->owner != INVALID_THREADID && m->owner != tid};
    pending[tid] = p;
    pending[tid].since = Now();
}

static BOOL Counts(THREADID tid) { return !region_asked || region_inside[tid]; }

static VOID Acquired(THREADID tid, const Pending &p, UINT64 now)
{
    Mutex *m = p.mutex;
    m->counts = Counts(tid);
    if (m->counts) {
        Count *c = &m->sites[Site(p.site, tid)];
        c->locks++;
        c->contended += p.contended;
        c->wait.Add(now - p.since);
    }
    m->site = p.site;
    m->depth = m->owner == tid ? m->depth + 1 : 1;
    if (m->depth == 1)
        m->since = now;
    m->owner = tid;
}

// 0 and EOWNERDEAD: it is locked.
static VOID AfterLock(THREADID tid, ADDRINT result)
{
    UINT64 now = Now();
    Locked locked(&lock);
    if (!pending[tid].mutex)
        return;
    if (int(result) == 0 || int(result) == EOWNERDEAD)
        Acquired(tid, pending[tid], now);
    else if (Counts(tid))
        pending[tid].mutex->sites[Site(pending[tid].site, tid)].refused++;
    pending[tid].mutex = 0;
}

static VOID Release(THREADID tid, ADDRINT address, BOOL wholly)
{
    UINT64 now = Now();
    Locked locked(&lock);
    Mutex *m = Find(address);
    if (m->owner != tid || (!wholly && --m->depth))
        return;
    if (m->counts)
        m->sites[Site(m->site, tid)].hold.Add(now - m->since);
    m->owner = INVALID_THREADID;
}

static VOID BeforeUnlock(THREADID tid, ADDRINT address, ADDRINT) { Release(tid, address, FALSE); }

// A wait for a condition lets go of the mutex and locks it again; what it waits for in between is no contention.
static VOID BeforeWait(THREADID tid, ADDRINT address, ADDRINT site)
{
    Release(tid, address, TRUE);
    Locked locked(&lock);
    Pending p = {Find(address), site, 0, FALSE};
    pending[tid] = p;
}
static VOID AfterWait(THREADID tid, ADDRINT)
{
    UINT64 now = Now();
    Locked locked(&lock);
    if (!pending[tid].mutex)
        return;
    pending[tid].since = now;
    Acquired(tid, pending[tid], now);
    pending[tid].mutex = 0;
}

// --- instrumentation ---------------------------------------------------------------------------------------------------------
enum Kind { LOCK, UNLOCK, WAIT };
static const struct {
    const char *name;
    Kind kind;
} functions[] = {{"pthread_mutex_lock", LOCK}, {"pthread_mutex_trylock", LOCK}, {"pthread_mutex_timedlock", LOCK}, {"pthread_mutex_clocklock", LOCK}, {"pthread_mutex_unlock", UNLOCK},
    {"pthread_cond_wait", WAIT}, {"pthread_cond_timedwait", WAIT}, {"pthread_cond_clockwait", WAIT}};

static VOID Image(IMG img, VOID *)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        RTN rtn = RTN_FindByName(img, functions[i].name);
        if (!RTN_Valid(rtn))
            continue;
        Kind kind = functions[i].kind;
        RTN_Open(rtn);
        RTN_InsertCall(rtn, IPOINT_BEFORE, kind == LOCK ? AFUNPTR(BeforeLock) : kind == UNLOCK ? AFUNPTR(BeforeUnlock) : AFUNPTR(BeforeWait), IARG_THREAD_ID, IARG_FUNCARG_ENTRYPOINT_VALUE,
            kind == WAIT ? 1 : 0, IARG_RETURN_IP, IARG_END);
        if (kind != UNLOCK)
            RTN_InsertCall(rtn, IPOINT_AFTER, kind == LOCK ? AFUNPTR(AfterLock) : AFUNPTR(AfterWait), IARG_THREAD_ID, IARG_FUNCRET_EXITPOINT_VALUE, IARG_END);
        RTN_Close(rtn);
    }
}

// --- results -----------------------------------------------------------------------------------------------------------------
// A mutex with what is wanted of it.
struct Row {
    const Mutex *mutex;
    Count all;
    std::map<ADDRINT, Count> sites;
};
static bool Longer(const Row &a, const Row &b) { return a.all.wait.all != b.all.wait.all ? a.all.wait.all > b.all.wait.all : a.all.locks > b.all.locks; }

static std::vector<Row> Rows()
{
    std::vector<Row> rows;
    for (const auto &i : mutexes) {
        Row row = {&i.second, Count(), {}};
        for (const auto &s : i.second.sites)
            if (where_wanted(s.first.first - 1)) {
                row.all.Add(s.second);
                row.sites[s.first.first].Add(s.second);
            }
        if (row.sites.size() || (!where_chooses() && !region_asked))
            rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(), Longer);
    return rows;
}

static VOID WriteText(const Result &r, const std::vector<Row> &rows)
{
    for (size_t i = 0; i < rows.size() && (!where_top || i < where_top); i++) {
        const Count &c = rows[i].all;
        fprintf(out, "mutex 0x%lx: locked %lu times, %lu contended (%.2f%%), %lu refused; waited %.6f s (longest %.6f s), held %.6f s (longest %.6f s)\n", rows[i].mutex->address, c.locks, c.contended,
            tool_percent(c.contended, c.locks), c.refused, double(c.wait.all) / 1e9, double(c.wait.longest) / 1e9, double(c.hold.all) / 1e9, double(c.hold.longest) / 1e9);
        for (const auto &s : rows[i].sites)
            if (s.second.locks)
                fprintf(out, "    %10lu locks %10lu contended, waited %.6f s: %s\n", s.second.locks, s.second.contended, double(s.second.wait.all) / 1e9, tool_place(s.first - 1).c_str());
    }
    for (const std::string &note : r.notes)
        fprintf(out, "%s\n", note.c_str());
    fprintf(out, "%zu mutexes\n", rows.size());
    fflush(out);
}

static std::vector<ResultCell> Cells(const Count &c, ADDRINT address, const std::string &where)
{
    return {c.wait.all, c.wait.longest, c.locks, c.contended, c.refused, c.hold.all, c.hold.longest, address, where};
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    where_begin(&r, info);
    std::vector<Row> rows = Rows();
    if (KnobFormat.Value() == "text" && !where_by)
        return WriteText(r, rows);
    std::vector<ResultColumn> columns = {{"waited", "number"}, {"longest", "number"}, {"locks", "number"}, {"contended", "number"}, {"refused", "number"}, {"held", "number"},
        {"longest-held", "number"}, {"address", "address"}, {"where", "text"}};
    ResultTable by_mutex = {"mutexes, times in ns", "", columns, {}}, by_site = {"call sites, times in ns", "", columns, {}};
    r.metrics = {{"waited", "ns", "for mutexes"}, {"locks", "calls", "that locked one"}, {"contended", "calls", "that found it taken"}, {"refused", "calls", "that did not get it"}, {"held", "ns", "by those who had locked them there"}};
    WhereCounts counts(r.metrics.size());
    for (const Row &row : rows) {
        by_mutex.rows.push_back(Cells(row.all, row.mutex->address, where_data(row.mutex->address, 1)));
        for (const auto &s : row.sites)
            by_site.rows.push_back(Cells(s.second, row.mutex->address, tool_place(s.first - 1)));
        for (const auto &s : row.mutex->sites) {
            const UINT64 values[] = {s.second.wait.all, s.second.locks, s.second.contended, s.second.refused, s.second.hold.all};
            for (size_t m = 0; m < r.metrics.size() && where_wanted(s.first.first - 1); m++)
                counts.Add(where_note(s.first.first - 1), int(s.first.second), m, values[m]);
        }
    }
    counts.Into(&r);
    if (!where_by)
        r.tables = {by_mutex, by_site};
    where_write(&r);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    for (auto &i : mutexes) {
        Mutex m = Mutex();
        m.address = i.second.address;
        m.owner = i.second.owner;
        m.depth = i.second.depth;
        m.since = i.second.since;
        m.site = i.second.site;
        m.counts = i.second.counts;
        i.second = m;
    }
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"stack", "the call that locks is told, and not who called that"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"lockprof", "how long threads wait for mutexes and hold them", "", "20", "callgrind"});
    tool_init_lock(&lock);
    IMG_AddInstrumentFunction(Image, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// lockwait: how often threads find mutexes and rwlocks taken, and how long they wait for these and for conditions, by lock and call site. In probe mode: the program runs natively, only
// these functions of its C library lead here.
#include "probed.h"

#include <algorithm>
#include <unordered_map>

enum Kind { MUTEX, RWLOCK, COND };
static const char *const kinds[] = {"mutex", "rwlock", "cond"};
enum What { LOCK, SHARE, UNLOCK, WAIT };
struct Call {
    const char *name;
    Kind kind;
    What what;
};
static const Call calls[] = {{"pthread_mutex_lock", MUTEX, LOCK},
                             {"pthread_mutex_trylock", MUTEX, LOCK},
                             {"pthread_mutex_timedlock", MUTEX, LOCK},
                             {"pthread_mutex_clocklock", MUTEX, LOCK},
                             {"pthread_mutex_unlock", MUTEX, UNLOCK},
                             {"pthread_rwlock_wrlock", RWLOCK, LOCK},
                             {"pthread_rwlock_trywrlock", RWLOCK, LOCK},
                             {"pthread_rwlock_timedwrlock", RWLOCK, LOCK},
                             {"pthread_rwlock_clockwrlock", RWLOCK, LOCK},
                             {"pthread_rwlock_rdlock", RWLOCK, SHARE},
                             {"pthread_rwlock_tryrdlock", RWLOCK, SHARE},
                             {"pthread_rwlock_timedrdlock", RWLOCK, SHARE},
                             {"pthread_rwlock_clockrdlock", RWLOCK, SHARE},
                             {"pthread_rwlock_unlock", RWLOCK, UNLOCK},
                             {"pthread_cond_wait", COND, WAIT},
                             {"pthread_cond_timedwait", COND, WAIT},
                             {"pthread_cond_clockwait", COND, WAIT}};

struct Count {
    UINT64 calls, contended, refused, wait, longest;
    VOID Add(BOOL was_contended, BOOL is_refused, UINT64 ns)
    {
        calls++;
        contended += was_contended;
        refused += is_refused;
        wait += ns;
        longest = std::max(longest, ns);
    }
};
struct Lock {
    Kind kind;
    THREADID owner; // who holds it alone
    UINT32 depth, readers;
    UINT64 since, hold;
    Count count;
    std::map<ADDRINT, Count> sites;
};
static std::unordered_map<ADDRINT, Lock> locks;

// --- under the lock of the tables ---------------------------------------------------------------------------------------
static Lock &Find(ADDRINT address, Kind kind)
{
    auto at = locks.emplace(address, Lock());
    if (at.second) {
        at.first->second.owner = INVALID_THREADID;
        at.first->second.kind = kind;
    }
    return at.first->second;
}

static VOID Take(Lock &l, THREADID tid, UINT64 now)
{
    l.depth = l.owner == tid ? l.depth + 1 : 1;
    if (l.depth == 1)
        l.since = now;
    l.owner = tid;
}

static VOID Let(Lock &l, THREADID tid, UINT64 now, BOOL wholly)
{
    if (l.owner == INVALID_THREADID)
        l.readers -= l.readers > 0;
    if (l.owner != tid || (!wholly && --l.depth))
        return;
    l.hold += now - l.since;
    l.owner = INVALID_THREADID;
}

static VOID Add(ADDRINT address, ADDRINT site, Kind kind, BOOL contended, BOOL refused, UINT64 ns)
{
    Lock &l = Find(address, kind);
    l.count.Add(contended, refused, ns);
    l.sites[site].Add(contended, refused, ns);
}

// --- replacements: no lock is held while the original runs --------------------------------------------------------------
static ADDRINT Acquire(ProbedOriginal original, UINT32 which, ADDRINT site, ADDRINT, ADDRINT a, ADDRINT b, ADDRINT c,
                       ADDRINT d)
{
    const Call &call = calls[which];
    THREADID tid = PIN_ThreadId();
    BOOL contended;
    {
        Locked locked(&probed_lock);
        Lock &l = Find(a, call.kind);
        contended = (l.owner != INVALID_THREADID && l.owner != tid) || (call.what == LOCK && l.readers);
    }
    UINT64 before = probed_now();
    ADDRINT result = original(a, b, c, d);
    UINT64 now = probed_now();
    BOOL got = INT32(result) == 0 || INT32(result) == EOWNERDEAD;
    Locked locked(&probed_lock);
    Add(a, site, call.kind, contended, !got, now - before);
    Lock &l = Find(a, call.kind);
    if (got && call.what == SHARE)
        l.readers++;
    else if (got)
        Take(l, tid, now);
    return result;
}

static ADDRINT Unlock(ProbedOriginal original, UINT32 which, ADDRINT, ADDRINT, ADDRINT a, ADDRINT b, ADDRINT c,
                      ADDRINT d)
{
    UINT64 now = probed_now();
    {
        Locked locked(&probed_lock);
        Let(Find(a, calls[which].kind), PIN_ThreadId(), now, FALSE);
    }
    return original(a, b, c, d);
}

// A wait lets go of the mutex and takes it again; a time that has run out is no error of the mutex.
static ADDRINT Wait(ProbedOriginal original, UINT32, ADDRINT site, ADDRINT, ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d)
{
    THREADID tid = PIN_ThreadId();
    UINT64 before = probed_now();
    {
        Locked locked(&probed_lock);
        Let(Find(b, MUTEX), tid, before, TRUE);
    }
    ADDRINT result = original(a, b, c, d);
    UINT64 now = probed_now();
    Locked locked(&probed_lock);
    Add(a, site, COND, FALSE, INT32(result) != 0, now - before);
    Take(Find(b, MUTEX), tid, now);
    return result;
}

static VOID Image(IMG img, VOID *)
{
    for (UINT32 i = 0; i < sizeof calls / sizeof calls[0]; i++)
        probed_replace(img, calls[i].name, i,
                       calls[i].what == WAIT     ? Wait
                       : calls[i].what == UNLOCK ? Unlock
                                                 : Acquire);
}

// --- results ------------------------------------------------------------------------------------------------------------
static VOID Reset()
{
    for (auto &l : locks) {
        l.second.count = Count();
        l.second.sites.clear();
        l.second.hold = 0;
        l.second.since = probed_now();
    }
}

static bool Longer(const std::vector<ResultCell> &a, const std::vector<ResultCell> &b)
{
    return a[0].whole != b[0].whole ? a[0].whole > b[0].whole : a[2].whole > b[2].whole;
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    Locked locked(&probed_lock);
    probed_begin(&r, info);
    ResultTable t = {"locks, times in ns",
                     "",
                     {{"waited", "number"},
                      {"longest", "number"},
                      {"calls", "number"},
                      {"contended", "number"},
                      {"refused", "number"},
                      {"held", "number"},
                      {"kind", "text"},
                      {"address", "address"},
                      {"where", "text"}},
                     {}};
    ResultTable s = {"call sites, times in ns",
                     "",
                     {{"waited", "number"},
                      {"longest", "number"},
                      {"calls", "number"},
                      {"contended", "number"},
                      {"refused", "number"},
                      {"kind", "text"},
                      {"address", "address"},
                      {"called", "text"}},
                     {}};
    r.metrics = {{"calls", "calls", "that ask for a lock, or wait"},
                 {"contended", "calls", "that found the lock taken"},
                 {"refused", "calls", "that did not get it"},
                 {"lock-wait", "ns", "for locks"},
                 {"cond-wait", "ns", "for conditions"}};
    r.totals.assign(5, 0);
    for (const auto &i : locks) {
        const Lock &l = i.second;
        const Count &c = l.count;
        if (!c.calls)
            continue;
        t.rows.push_back({c.wait, c.longest, c.calls, c.contended, c.refused, l.hold, kinds[l.kind], i.first,
                          where_data(i.first, 1)});
        for (const auto &at : l.sites)
            s.rows.push_back({at.second.wait, at.second.longest, at.second.calls, at.second.contended,
                              at.second.refused, kinds[l.kind], i.first, probed_place(at.first)});
        const UINT64 more[] = {c.calls, c.contended, c.refused, l.kind == COND ? 0 : c.wait,
                               l.kind == COND ? c.wait : 0};
        for (size_t m = 0; m < 5; m++)
            r.totals[m] += more[m];
    }
    std::sort(t.rows.begin(), t.rows.end(), Longer);
    std::sort(s.rows.begin(), s.rows.end(), Longer);
    r.tables.push_back(t);
    r.tables.push_back(s);
    where_write(&r);
}

int main(int argc, char **argv)
{
    probed_start(argc, argv,
                 WhereTool{"lockwait", "how long threads wait for locks and conditions, in probe mode", "", "20", ""},
                 Image, Results, Reset);
    PIN_StartProgramProbed();
}

// SPDX-License-Identifier: Apache-2.0
// lockprof: for each pthread mutex how often it was locked, how often another thread held it then, how long threads waited for it and how long they held it, and where.
#include "tool.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <vector>

static KNOB<UINT32> KnobTop(KNOB_MODE_WRITEONCE, "pintool", "top", "20", "print only this many mutexes, of those that were waited for longest (0: all)");

struct Times {
    UINT64 all, longest;
    VOID Add(UINT64 ns)
    {
        all += ns;
        longest = std::max(longest, ns);
    }
};
struct Site {
    UINT64 locks, contended;
    Times wait;
};
struct Mutex {
    ADDRINT address;
    UINT64 locks, contended, refused;
    Times wait, hold;
    THREADID owner;
    UINT32 depth; // of a recursive one
    UINT64 since;
    std::map<ADDRINT, Site> sites; // by the return address of the call
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

static VOID Acquired(THREADID tid, const Pending &p, UINT64 now)
{
    Mutex *m = p.mutex;
    Site *s = &m->sites[p.site];
    m->locks++;
    m->contended += p.contended;
    m->wait.Add(now - p.since);
    s->locks++;
    s->contended += p.contended;
    s->wait.Add(now - p.since);
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
    else
        pending[tid].mutex->refused++;
    pending[tid].mutex = 0;
}

static VOID Release(THREADID tid, ADDRINT address, BOOL wholly)
{
    UINT64 now = Now();
    Locked locked(&lock);
    Mutex *m = Find(address);
    if (m->owner != tid || (!wholly && --m->depth))
        return;
    m->hold.Add(now - m->since);
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
static bool Longer(const Mutex *a, const Mutex *b) { return a->wait.all != b->wait.all ? a->wait.all > b->wait.all : a->locks > b->locks; }

static VOID Fini(INT32, VOID *)
{
    std::vector<const Mutex *> order;
    for (std::map<ADDRINT, Mutex>::iterator i = mutexes.begin(); i != mutexes.end(); ++i)
        order.push_back(&i->second);
    std::sort(order.begin(), order.end(), Longer);
    PIN_LockClient();
    for (size_t i = 0; i < order.size() && (!KnobTop.Value() || i < KnobTop.Value()); i++) {
        const Mutex *m = order[i];
        fprintf(out, "mutex 0x%lx: locked %lu times, %lu contended (%.2f%%), %lu refused; waited %.6f s (longest %.6f s), held %.6f s (longest %.6f s)\n", m->address, m->locks, m->contended,
            tool_percent(m->contended, m->locks), m->refused, double(m->wait.all) / 1e9, double(m->wait.longest) / 1e9, double(m->hold.all) / 1e9, double(m->hold.longest) / 1e9);
        for (std::map<ADDRINT, Site>::const_iterator s = m->sites.begin(); s != m->sites.end(); ++s)
            fprintf(out, "    %10lu locks %10lu contended, waited %.6f s: %s\n", s->second.locks, s->second.contended, double(s->second.wait.all) / 1e9, tool_place(s->first - 1).c_str());
    }
    PIN_UnlockClient();
    fprintf(out, "%zu mutexes\n", order.size());
    fflush(out);
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
        i.second = m;
    }
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    tool_start(argc, argv, "lockprof: how long threads wait for mutexes and hold them");
    tool_init_lock(&lock);
    IMG_AddInstrumentFunction(Image, 0);
    tool_fini(Fini, FALSE, InChild);
    PIN_StartProgram();
}

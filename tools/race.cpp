// SPDX-License-Identifier: Apache-2.0
// race: accesses of different threads to the same bytes, at least one of them a write, that no synchronisation puts into an order (happens-before, with vector clocks).
//
// Each thread has a clock and knows how much of the others' time lies before its own (Clocks). What synchronises hands that on: unlocking to locking, posting to waiting, creating to beginning, ending to joining, arriving at a
// barrier to leaving it, and each locked instruction to the next at the same address, whose plain loads and stores then count as synchronising, too. For each byte the accesses are kept that may still race.
// Exact for the execution that was seen: another schedule may have other races. Not watched: what libc and ld.so do themselves (memcpy among it).
#include "lib/where.h"
#include "region.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

static KNOB<BOOL> KnobAll(KNOB_MODE_WRITEONCE, "pintool", "all", "0", "every pair of places, not only the first at each address");

typedef std::vector<UINT64> Clocks; // by thread, in the order of their beginning: numbers of tools are used again
static UINT64 Time(const Clocks &c, UINT32 thread) { return thread < c.size() ? c[thread] : 0; }
static VOID Join(Clocks &to, const Clocks &from)
{
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); i++)
        to[i] = std::max(to[i], from[i]);
}

struct Access {
    UINT32 thread;
    BOOL write;
    UINT8 bytes; // a bit for each of the word's
    UINT64 time;
    ADDRINT pc;
};
struct Race {
    ADDRINT address;
    Access before, now;
};
struct Thread {
    UINT32 number;
    Clocks clocks;
    ADDRINT self;        // pthread_self
    ADDRINT argument[2]; // of the call that has not returned
};
enum { WORD = 8, STACK = 8 << 20 };

static std::map<ADDRINT, std::vector<Access> > shadow; // by word
static Thread threads[PIN_MAX_THREADS];
static std::map<OS_THREAD_ID, THREADID> by_os_id;
static std::map<ADDRINT, Clocks> objects; // mutexes, conditions, semaphores, atomic variables, threads by pthread_self
static std::map<ADDRINT, THREADID> writers; // of read-write locks
static std::vector<Race> races;
static UINT32 begun;
static PIN_LOCK lock; // of all of these

// --- clocks: under the lock --------------------------------------------------------------------------------------------------
static VOID ReleaseTo(Thread *t, ADDRINT object)
{
    Join(objects[object], t->clocks);
    t->clocks[t->number]++;
}
static VOID AcquireFrom(Thread *t, ADDRINT object)
{
    std::map<ADDRINT, Clocks>::iterator o = objects.find(object);
    if (o != objects.end())
        Join(t->clocks, o->second);
}
static VOID Forget(ADDRINT from, ADDRINT to) { shadow.erase(shadow.lower_bound(from / WORD * WORD), shadow.lower_bound(to)); }

// --- accesses ----------------------------------------------------------------------------------------------------------------
static VOID Note(ADDRINT word, const Access &before, const Access &now)
{
    Race race = {word + UINT64(__builtin_ctz(before.bytes & now.bytes)), before, now};
    for (size_t i = 0; i < races.size(); i++)
        if ((races[i].before.pc == before.pc && races[i].now.pc == now.pc) || (races[i].before.pc == now.pc && races[i].now.pc == before.pc) || (!KnobAll && races[i].address / WORD == word / WORD))
            return;
    races.push_back(race);
}

// What happened before a write, or before a read by the same thread, and is covered by it, need not be kept: whoever races with it races with this one.
static VOID Word(ADDRINT word, const Access &now, const Clocks &clocks)
{
    std::vector<Access> &list = shadow[word];
    size_t kept = 0;
    for (size_t i = 0; i < list.size(); i++) {
        Access &a = list[i];
        BOOL before = a.time <= Time(clocks, a.thread);
        if (!before && (a.bytes & now.bytes) && (a.write || now.write))
            Note(word, a, now);
        if (before && (now.write || (a.thread == now.thread && !a.write)))
            a.bytes &= UINT8(~now.bytes);
        if (a.bytes)
            list[kept++] = a;
    }
    list.resize(kept);
    list.push_back(now);
}

static VOID Data(THREADID tid, ADDRINT address, UINT32 bytes, UINT32 write, ADDRINT pc)
{
    Locked locked(&lock);
    Thread *t = &threads[tid];
    if (objects.count(address)) // an atomic variable
        return write ? ReleaseTo(t, address) : AcquireFrom(t, address);
    for (ADDRINT word = address / WORD * WORD; word < address + bytes; word += WORD) {
        ADDRINT from = std::max(word, address), to = std::min(word + WORD, address + bytes);
        Access now = {t->number, BOOL(write), UINT8(((1u << (to - from)) - 1) << (from - word)), t->clocks[t->number], pc};
        Word(word, now, t->clocks);
    }
}

static VOID Atomic(THREADID tid, ADDRINT address)
{
    Locked locked(&lock);
    AcquireFrom(&threads[tid], address);
    ReleaseTo(&threads[tid], address);
}

static BOOL IsWatched(ADDRINT pc)
{
    IMG img = IMG_FindByAddress(pc);
    std::string name = IMG_Valid(img) ? tool_base_name(IMG_Name(img)) : "";
    return name.compare(0, 7, "libc.so") && name.compare(0, 8, "ld-linux") && name.compare(0, 10, "libpthread") && !(IMG_Valid(img) && IMG_IsVDSO(img));
}

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsStandardMemop(ins) || !IsWatched(INS_Address(ins)))
        return;
    BOOL wanted = where_wanted(INS_Address(ins)); // what synchronises counts wherever it is
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++)
        if (INS_IsAtomicUpdate(ins))
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Atomic), IARG_THREAD_ID, IARG_MEMORYOP_EA, i, IARG_END);
        else if (wanted)
            REGION_PREDICATED_CALL(ins, AFUNPTR(Data), IARG_THREAD_ID, IARG_MEMORYOP_EA, i, IARG_MEMORYOP_SIZE, i, IARG_UINT32, UINT32(INS_MemoryOperandIsWritten(ins, i)), IARG_INST_PTR,
                IARG_END);
}

// --- what synchronises -------------------------------------------------------------------------------------------------------
enum Kind { LOCK, UNLOCK, WAIT, SIGNAL, BARRIER, READ_LOCK, WRITE_LOCK, RW_UNLOCK, CREATE, JOIN, ALLOCATE, CALLOC, REALLOC };
static const struct {
    const char *name;
    Kind kind;
} functions[] = {{"pthread_mutex_lock", LOCK}, {"pthread_mutex_trylock", LOCK}, {"pthread_mutex_timedlock", LOCK}, {"pthread_mutex_clocklock", LOCK}, {"pthread_mutex_unlock", UNLOCK}, {"pthread_spin_lock", LOCK},
    {"pthread_spin_trylock", LOCK}, {"pthread_spin_unlock", UNLOCK}, {"pthread_cond_wait", WAIT}, {"pthread_cond_timedwait", WAIT}, {"pthread_cond_clockwait", WAIT}, {"pthread_cond_signal", SIGNAL},
    {"pthread_cond_broadcast", SIGNAL}, {"sem_post", SIGNAL}, {"sem_wait", LOCK}, {"sem_trywait", LOCK}, {"sem_timedwait", LOCK}, {"pthread_barrier_wait", BARRIER}, {"pthread_rwlock_rdlock", READ_LOCK},
    {"pthread_rwlock_tryrdlock", READ_LOCK}, {"pthread_rwlock_wrlock", WRITE_LOCK}, {"pthread_rwlock_trywrlock", WRITE_LOCK}, {"pthread_rwlock_unlock", RW_UNLOCK}, {"pthread_create", CREATE},
    {"pthread_join", JOIN}, {"malloc", ALLOCATE}, {"calloc", CALLOC}, {"realloc", REALLOC}};

// Readers are put into an order with writers, not with each other: what they release goes to another object, beside the lock's.
static ADDRINT Readers(ADDRINT rwlock) { return rwlock + 1; }

static VOID Before(THREADID tid, UINT32 kind, ADDRINT a, ADDRINT b)
{
    Locked locked(&lock);
    Thread *t = &threads[tid];
    t->argument[0] = a;
    t->argument[1] = b;
    if (kind == UNLOCK || kind == SIGNAL || kind == BARRIER)
        ReleaseTo(t, a);
    else if (kind == WAIT)
        ReleaseTo(t, b);
    else if (kind == CREATE)
        ReleaseTo(t, t->self + 1);
    else if (kind == RW_UNLOCK && writers.count(a) && writers[a] == tid) {
        writers.erase(a);
        ReleaseTo(t, a);
    } else if (kind == RW_UNLOCK)
        ReleaseTo(t, Readers(a));
}

static VOID After(THREADID tid, UINT32 kind, ADDRINT result)
{
    Locked locked(&lock);
    Thread *t = &threads[tid];
    ADDRINT a = t->argument[0], b = t->argument[1];
    if (kind == ALLOCATE || kind == CALLOC || kind == REALLOC)
        return Forget(result, result ? result + (kind == ALLOCATE ? a : kind == CALLOC ? a * b : b) : 0);
    if (int(result) && kind != WAIT && kind != BARRIER)
        return; // not got
    if (kind == LOCK || kind == BARRIER || kind == JOIN || kind == READ_LOCK || kind == WRITE_LOCK || kind == WAIT)
        AcquireFrom(t, a);
    if (kind == WAIT)
        AcquireFrom(t, b);
    if (kind == WRITE_LOCK) {
        AcquireFrom(t, Readers(a));
        writers[a] = tid;
    }
}

static VOID Image(IMG img, VOID *)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        RTN rtn = RTN_FindByName(img, functions[i].name);
        if (!RTN_Valid(rtn))
            continue;
        RTN_Open(rtn);
        RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Before), IARG_THREAD_ID, IARG_UINT32, functions[i].kind, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END);
        RTN_InsertCall(rtn, IPOINT_AFTER, AFUNPTR(After), IARG_THREAD_ID, IARG_UINT32, functions[i].kind, IARG_FUNCRET_EXITPOINT_VALUE, IARG_END);
        RTN_Close(rtn);
    }
}

// A thread begins with what its parent knew when it created one; its stack may have been another's.
static VOID ThreadStart(THREADID tid, CONTEXT *ctxt, INT32, VOID *)
{
    Locked locked(&lock);
    Thread *t = &threads[tid];
    std::map<OS_THREAD_ID, THREADID>::iterator parent = by_os_id.find(PIN_GetParentTid());
    t->number = begun++;
    t->clocks.assign(t->number + 1, 0);
    t->clocks[t->number] = 1;
    t->self = PIN_GetContextReg(ctxt, REG_SEG_FS_BASE);
    ADDRINT sp = PIN_GetContextReg(ctxt, REG_STACK_PTR);
    Forget(sp - STACK, sp);
    if (t->number && parent != by_os_id.end())
        AcquireFrom(t, threads[parent->second].self + 1);
    by_os_id[PIN_GetTid()] = tid;
}

static VOID ThreadFini(THREADID tid, const CONTEXT *, INT32, VOID *)
{
    Locked locked(&lock);
    ReleaseTo(&threads[tid], threads[tid].self);
}

// --- results -----------------------------------------------------------------------------------------------------------------
static std::string Side(const Access &a) { return std::string(a.write ? "write" : "read") + " by thread " + decstr(a.thread); }

static VOID WriteText()
{
    size_t shown = where_top ? std::min(races.size(), size_t(where_top)) : races.size();
    for (size_t i = 0; i < shown; i++) {
        const Access &a = races[i].before, &b = races[i].now;
        fprintf(out, "race at 0x%lx: %s, %s; %s, %s\n", races[i].address, Side(a).c_str(), tool_place(a.pc).c_str(), Side(b).c_str(), tool_place(b.pc).c_str());
    }
    if (region_asked && !region_began)
        fprintf(out, "the region never began (-control): no access was looked at\n");
    fprintf(out, "%zu races\n", races.size());
    fflush(out);
}

static VOID Results(const lp_results_info *info)
{
    if (KnobFormat.Value() == "text")
        return WriteText();
    Result r;
    where_begin(&r, info);
    r.metrics = {{"races", "races", "pairs of accesses without an order"}};
    r.totals = {races.size()};
    ResultTable t = {"races", "", {{"address", "address"}, {"first", "text"}, {"at", "text"}, {"second", "text"}, {"there", "text"}}, {}};
    for (const Race &race : races) {
        ResultFinding f = {"race", "at " + hexstr(race.address), 1, {}};
        for (const Access *a : {&race.before, &race.now}) {
            f.stacks.push_back({Side(*a), {int(r.frames.size())}});
            r.frames.push_back(where_place(where_note(a->pc)));
        }
        r.findings.push_back(f);
        t.rows.push_back({race.address, Side(race.before), tool_place(race.before.pc), Side(race.now), tool_place(race.now.pc)});
    }
    r.tables.push_back(t);
    where_write(&r);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    races.clear();
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by", "a race has two places, and both are told"}, {"stack", "the places of accesses are kept, and not who called them"}, {"tid", "a race is between two threads"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"race", "accesses of different threads to the same memory that nothing puts into an order", "", "0", ""});
    tool_init_lock(&lock);
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddThreadFiniFunction(ThreadFini, 0);
    tool_results(Results, InChild);
    PIN_StartProgram();
}

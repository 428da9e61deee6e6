// SPDX-License-Identifier: Apache-2.0
// iolatency: how long open, read, write and their kin take, by call and file, with histograms. In probe mode: the program runs natively, only these functions of its C library lead here.
#include "probed.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

static KNOB<BOOL> KnobHistogram(KNOB_MODE_WRITEONCE, "pintool", "histogram", "1",
                                "how many calls took how long, by powers of two of nanoseconds");

enum Function { OPEN, CLOSE, READ, WRITE, SYNC };
static const char *const shown[] = {"open", "close", "read", "write", "sync"};
struct Call {
    const char *name;
    Function function;
    UINT32 path; // of OPEN: which argument
};
// Those with _nocancel are for libc itself, streams for example.
static const Call calls[] = {{"open", OPEN, 0},
                             {"open64", OPEN, 0},
                             {"openat", OPEN, 1},
                             {"openat64", OPEN, 1},
                             {"creat", OPEN, 0},
                             {"creat64", OPEN, 0},
                             {"__open_nocancel", OPEN, 0},
                             {"__open64_nocancel", OPEN, 0},
                             {"__openat_nocancel", OPEN, 1},
                             {"__openat64_nocancel", OPEN, 1},
                             {"close", CLOSE, 0},
                             {"__close_nocancel", CLOSE, 0},
                             {"read", READ, 0},
                             {"pread64", READ, 0},
                             {"pread", READ, 0},
                             {"readv", READ, 0},
                             {"preadv", READ, 0},
                             {"__read_nocancel", READ, 0},
                             {"__pread64_nocancel", READ, 0},
                             {"write", WRITE, 0},
                             {"pwrite64", WRITE, 0},
                             {"pwrite", WRITE, 0},
                             {"writev", WRITE, 0},
                             {"pwritev", WRITE, 0},
                             {"__write_nocancel", WRITE, 0},
                             {"fsync", SYNC, 0},
                             {"fdatasync", SYNC, 0}};

enum { BUCKETS = 40 };
struct Row {
    UINT64 calls, errors, bytes, ns, longest, bucket[BUCKETS]; // bucket n: at least 2^n ns
};
typedef std::pair<std::string, std::string> Key; // call, file
static std::map<Key, Row> rows;

// What the descriptor is, as the kernel tells it: always asked, because there are ways to close one that are not seen.
static std::string NameOf(INT32 fd)
{
    char path[64], to[4096];
    snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
    ssize_t n = readlink(path, to, sizeof to);
    return n > 0 ? std::string(to, size_t(n)) : "(no file)";
}

static std::string PathAt(ADDRINT address)
{
    char text[4096];
    size_t n = PIN_SafeCopy(text, Addrint2VoidStar(address), sizeof text);
    return n ? std::string(text, strnlen(text, n)) : "(no path)";
}

static VOID Add(const Call &call, const std::string &file, UINT64 ns, INT64 result)
{
    Row &r = rows[Key(shown[call.function], file)];
    r.calls++;
    r.errors += result < 0;
    r.bytes += (call.function == READ || call.function == WRITE) && result > 0 ? UINT64(result) : 0;
    r.ns += ns;
    r.longest = std::max(r.longest, ns);
    r.bucket[std::min(UINT32(BUCKETS - 1), UINT32(63 - __builtin_clzl(ns | 1)))]++;
}

// A descriptor is named before the call: close takes it away, and another thread may have it afterwards.
static ADDRINT Interpose(ProbedOriginal original, UINT32 which, ADDRINT site, ADDRINT sp, ADDRINT a, ADDRINT b,
                         ADDRINT c, ADDRINT d)
{
    const Call &call = calls[which];
    BOOL nested;
    {
        Locked locked(&probed_lock);
        nested = probed_is_nested(site, sp);
    }
    if (nested)
        return probed_call(original, sp, a, b, c, d);
    std::string file;
    if (call.function != OPEN)
        file = NameOf(INT32(a));
    UINT64 before = probed_now();
    ADDRINT whole = probed_call(original, sp, a, b, c, d);
    UINT64 ns = probed_now() - before;
    INT64 result = call.function == READ || call.function == WRITE ? INT64(whole) : INT32(whole);
    if (call.function == OPEN)
        file = result >= 0 ? NameOf(INT32(result)) : PathAt(call.path ? b : a);
    Locked locked(&probed_lock);
    Add(call, file, ns, result);
    return whole;
}

static VOID Image(IMG img, VOID *)
{
    if (!RTN_Valid(RTN_FindByName(img, "__libc_start_main"))) // ld.so has some of the same names
        return;
    for (UINT32 i = 0; i < sizeof calls / sizeof calls[0]; i++)
        probed_replace(img, calls[i].name, i, Interpose);
}

// --- results ------------------------------------------------------------------------------------------------------------
static VOID Reset() { rows.clear(); }

// The upper end of the bucket in which the so-manieth call lies; never more than the longest.
static UINT64 Below(const Row &r, double part)
{
    UINT64 wanted = UINT64(std::ceil(part * double(r.calls))), seen = 0;
    for (UINT32 i = 0; i < BUCKETS; i++)
        if ((seen += r.bucket[i]) >= wanted)
            return std::min(r.longest, (UINT64(2) << i) - 1);
    return r.longest;
}

static VOID Results(const lp_results_info *info)
{
    Result r;
    Locked locked(&probed_lock);
    probed_begin(&r, info);
    std::vector<std::pair<Key, Row>> order(rows.begin(), rows.end());
    std::stable_sort(order.begin(), order.end(), [](const std::pair<Key, Row> &a, const std::pair<Key, Row> &b) {
        return a.second.ns > b.second.ns;
    });
    ResultTable t = {"calls by file, times in ns",
                     "",
                     {{"call", "text"},
                      {"calls", "number"},
                      {"errors", "number"},
                      {"bytes", "number"},
                      {"time", "number"},
                      {"mean", "number"},
                      {"half-below", "number"},
                      {"99%-below", "number"},
                      {"longest", "number"},
                      {"file", "text"}},
                     {}};
    ResultTable h = {
        "how many calls took how long",
        "",
        {{"call", "text"}, {"from-ns", "number"}, {"to-ns", "number"}, {"calls", "number"}, {"file", "text"}},
        {}};
    r.metrics = {{"calls", "calls", "of all functions"},
                 {"errors", "calls", "that failed"},
                 {"read", "bytes", "that were read"},
                 {"written", "bytes", "that were written"},
                 {"time", "ns", "in all calls"}};
    r.totals.assign(5, 0);
    for (const auto &o : order) {
        const Row &w = o.second;
        t.rows.push_back({o.first.first, w.calls, w.errors, w.bytes, w.ns, w.ns / w.calls, Below(w, 0.5),
                          Below(w, 0.99), w.longest, o.first.second});
        for (UINT32 i = 0; i < BUCKETS; i++)
            if (w.bucket[i])
                h.rows.push_back(
                    {o.first.first, UINT64(i ? UINT64(1) << i : 0), (UINT64(2) << i) - 1, w.bucket[i], o.first.second});
        r.totals[0] += w.calls;
        r.totals[1] += w.errors;
        r.totals[o.first.first == "read" ? 2 : 3] += w.bytes;
        r.totals[4] += w.ns;
    }
    r.tables.push_back(t);
    if (KnobHistogram)
        r.tables.push_back(h);
    where_write(&r);
}

int main(int argc, char **argv)
{
    probed_start(argc, argv,
                 WhereTool{"iolatency", "how long open, read and write take, by file, in probe mode", "", "20", ""},
                 Image, Results, Reset);
    PIN_StartProgramProbed();
}

// SPDX-License-Identifier: Apache-2.0
// strace: every system call, with its arguments by their kinds and its result, and at the end how often each was made.
#include "lib/where.h"
#include "region.h"

#include <map>
#include <signal.h>
#include <utility>

#include "syscalls.h"
#include "syscallstructs.h"

static KNOB<BOOL> KnobCount(KNOB_MODE_WRITEONCE, "pintool", "count", "0", "only how often each was made, and failed");
static KNOB<UINT32> KnobArgs(KNOB_MODE_WRITEONCE, "pintool", "args", "6", "show at most this many arguments");
static KNOB<UINT32> KnobText(KNOB_MODE_WRITEONCE, "pintool", "text", "32", "show at most this many bytes of data");
static KNOB<BOOL> KnobRaw(KNOB_MODE_WRITEONCE, "pintool", "raw", "0", "flags in hexadecimal, structures by their addresses");

struct Count {
    UINT64 calls, errors;
};
static std::map<std::string, Count> counts;
static std::map<std::pair<UINT32, THREADID>, Count> places; // with -by: by noted address

// What a thread is in. What the call reads is made into text before it, what it writes after it.
struct Call {
    const Syscall *call; // 0: unknown
    std::string name;
    INT32 process;
    UINT32 note; // of its instruction
    UINT32 word; // bytes of a pointer
    ADDRINT values[SYSCALL_ARGS];
    std::string texts[SYSCALL_ARGS];
};
static std::map<THREADID, Call> calls; // callbacks do not run at the same time
static std::map<THREADID, std::vector<Call> > vforks; // that have returned in the child, not yet in the parent

// --- text -------------------------------------------------------------------------------------------------------------------------
enum { PATH_SHOWN = 4096, WORDS_SHOWN = 16, NUMBERS_SHOWN = 16, STRUCTS_SHOWN_BYTES = 8192 };

static std::string Address(ADDRINT value) { return value ? hexstr(value) : "NULL"; }

// Text that ends with a zero.
static std::string Text(ADDRINT address)
{
    char text[PATH_SHOWN];
    const size_t n = address ? PIN_SafeCopy(text, Addrint2VoidStar(address), sizeof text) : 0;
    const size_t length = strnlen(text, n);
    return n ? QuotedText(text, length) + (length == sizeof text ? "..." : "") : Address(address);
}

// Texts up to a NULL.
static std::string Texts(ADDRINT address, UINT32 word)
{
    std::string all = "[";
    for (UINT32 i = 0; address; i++) {
        const ADDRINT text = ADDRINT(PeekNumber(address + i * word, word));
        if (!text)
            return all + "]";
        if (i == WORDS_SHOWN)
            return all + ", ...]";
        all += (i ? ", " : "") + Text(text);
    }
    return Address(address);
}

static std::string Data(const Pieces &pieces)
{
    std::string all;
    BOOL more = FALSE;
    for (size_t i = 0; i < pieces.size() && !more; i++) {
        const size_t room = KnobText.Value() - all.size(), wanted = size_t(std::min(UINT64(room), pieces[i].bytes));
        std::vector<char> bytes(wanted + 1);
        const size_t n = PIN_SafeCopy(&bytes[0], Addrint2VoidStar(pieces[i].address), wanted);
        if (n < wanted)
            return Address(pieces[0].address);
        all.append(&bytes[0], n);
        more = n < pieces[i].bytes;
    }
    return QuotedText(all.data(), all.size()) + (more ? "..." : "");
}

static std::string Signal(ADDRINT value)
{
    const char *name = value < NSIG ? sigabbrev_np(int(value)) : 0;
    return name ? std::string("SIG") + name : decstr(INT32(value));
}

static std::string Octal(ADDRINT value)
{
    char text[32];
    snprintf(text, sizeof text, "0%lo", value);
    return value ? text : "0";
}

static std::string Number(UINT32 kind, ADDRINT value, const NamedValue *names)
{
    if (names && !KnobRaw)
        return Named(names, UINT32(value));
    switch (kind) {
    case SYSCALL_FD: case SYSCALL_SOURCE: case SYSCALL_SINK: return INT32(value) == -100 ? "AT_FDCWD" : decstr(INT32(value));
    case SYSCALL_INT: case SYSCALL_PID: return decstr(INT32(value));
    case SYSCALL_UINT: return decstr(UINT32(value));
    case SYSCALL_SIZE: return decstr(UINT64(value));
    case SYSCALL_OFF: return decstr(INT64(value));
    case SYSCALL_SIG: return Signal(value);
    case SYSCALL_MODE: return Octal(value);
    case SYSCALL_ADDR: return Address(value);
    default: return hexstr(value);
    }
}

// Numbers of structures that have no other parts, with how many bytes each; 0: another structure.
static UINT32 PartBytes(const SyscallArg &arg)
{
    const std::string type = arg.type;
    if (arg.kind != SYSCALL_STRUCT)
        return 0;
    if (type == "int" || type == "u16" || type == "u64" || type == "long")
        return type == "int" ? 4 : type == "u16" ? 2 : type == "u64" ? 8 : UINT32(arg.bytes);
    return type == "timespec" || type == "timeval" ? UINT32(arg.bytes > 8 ? 8 : 4) : type == "timespec64" ? 8 : 0;
}

static std::string Numbers(const Pieces &pieces, UINT32 part)
{
    std::string all = "[";
    for (UINT64 i = 0; i < pieces[0].bytes / part; i++) {
        char word[8];
        if (PIN_SafeCopy(word, Addrint2VoidStar(pieces[0].address + i * part), part) != part)
            return Address(pieces[0].address);
        if (i == NUMBERS_SHOWN)
            return all + ", ...]";
        const UINT64 value = PeekNumber(pieces[0].address + i * part, part);
        all += (i ? ", " : "") + decstr(part == 4 ? INT64(INT32(value)) : INT64(value));
    }
    return all + "]";
}

static BOOL IsSocketAddress(const Call &c, UINT32 i)
{
    static const char *const names[] = {"connect", "bind", "accept", "accept4", "getsockname", "getpeername", "sendto", "recvfrom"};
    return std::find(names, names + 8, c.name) != names + 8 && !strcmp(c.call->arg[i].name, "addr");
}

// Structures by their parts, several in brackets; "": not a type that has a text, or not the form of x86_64.
static std::string Structures(const Call &c, const SyscallArg &arg, const Pieces &pieces, BOOL done)
{
    const BOOL socket = arg.kind == SYSCALL_BYTES;
    if (KnobRaw || c.word != 8 || pieces.empty() || !arg.bytes || (arg.kind != SYSCALL_STRUCT && !socket))
        return "";
    std::vector<char> bytes(size_t(std::min(pieces[0].bytes, UINT64(STRUCTS_SHOWN_BYTES))) + sizeof(struct statx));
    const size_t n = PIN_SafeCopy(&bytes[0], Addrint2VoidStar(pieces[0].address), bytes.size() - sizeof(struct statx)), each = socket ? n : arg.bytes;
    if (socket)
        return n < 2 ? "" : SocketText(&bytes[0], n);
    if (n < each && pieces[0].bytes >= each)
        return ""; // it cannot be read
    std::string all;
    for (size_t at = 0; at + each <= n && (at / each) < NUMBERS_SHOWN; at += each) {
        const std::string one = StructText(arg.type, &bytes[at], done);
        if (one.empty())
            return "";
        all += (at ? ", " : "") + one;
    }
    const BOOL several = arg.extent == SYSCALL_TIMES || pieces[0].bytes > each;
    return several ? "[" + all + (n / each > NUMBERS_SHOWN ? ", ...]" : "]") : all;
}

// What is at a pointer. Structures that have no text are shown by their addresses.
static std::string Memory(const Call &c, UINT32 i, INT64 result)
{
    const SyscallArg &arg = c.call->arg[i];
    const Pieces pieces = MemoryOf(*c.call, i, c.values, result);
    if (arg.kind == SYSCALL_ANY)
        return hexstr(c.values[i]);
    if (!c.values[i])
        return "NULL";
    if (arg.kind == SYSCALL_STRUCT || IsSocketAddress(c, i)) {
        const std::string text = Structures(c, arg, pieces, result >= 0);
        if (!text.empty())
            return text;
    }
    if (!KnobRaw && c.name == "wait4" && !strcmp(arg.name, "status"))
        return result > 0 ? StatusText(INT32(PeekNumber(c.values[i], 4))) : Address(c.values[i]);
    if (arg.kind == SYSCALL_BYTES || arg.kind == SYSCALL_IOVEC || arg.kind == SYSCALL_MSGHDR || arg.kind == SYSCALL_MMSGHDR)
        return Data(pieces);
    return PartBytes(arg) ? Numbers(pieces, PartBytes(arg)) : Address(c.values[i]);
}

static std::string Argument(const Call &c, UINT32 i)
{
    const SyscallArg &arg = c.call->arg[i];
    switch (arg.kind) {
    case SYSCALL_PATH: case SYSCALL_STRING: return Text(c.values[i]);
    case SYSCALL_STRINGS: return Texts(c.values[i], c.word);
    default: return !SyscallIsPointer(arg) ? Number(arg.kind, c.values[i], NamesOf(c.name, arg.name)) : arg.way & SYSCALL_IN ? Memory(c, i, -1) : Address(c.values[i]);
    }
}

// --- calls ------------------------------------------------------------------------------------------------------------------------
// Some calls have their last argument only with some flags or commands.
static BOOL HasLast(const Call &c)
{
    static const INT32 alone[] = {F_GETFD, F_GETFL, F_GETOWN, F_GETSIG, F_GETLEASE, F_GETPIPE_SZ, F_GET_SEALS};
    const ADDRINT creates = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
    if (c.name == "open" || c.name == "openat")
        return (c.values[c.name == "open" ? 1 : 2] & creates) != 0;
    if (c.name == "mremap")
        return (c.values[3] & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0;
    return (c.name != "fcntl" && c.name != "fcntl64") || std::find(alone, alone + 7, INT32(c.values[1])) == alone + 7;
}

static UINT32 Arguments(const Call &c) { return std::min(KnobArgs.Value(), c.call ? c.call->args - !HasLast(c) : UINT32(SYSCALL_ARGS)); }

static BOOL Writes() { return !KnobCount && !where_by && KnobFormat.Value() == "text"; }

static VOID Print(THREADID tid, const std::string &result)
{
    const Call &c = calls[tid];
    std::string text;
    for (UINT32 i = 0; i < Arguments(c); i++)
        text += (i ? ", " : "") + c.texts[i];
    if (Writes())
        fprintf(out, "%u %s(%s) = %s\n", tid, c.name.c_str(), text.c_str(), result.c_str());
    calls.erase(tid);
}

static VOID Enter(THREADID tid, CONTEXT *context, SYSCALL_STANDARD std, VOID *)
{
    if (calls.count(tid))
        Print(tid, "?"); // it did not return: a signal handler left it
    const ADDRINT pc = PIN_GetContextReg(context, REG_INST_PTR);
    if ((region_asked && !region_inside[tid]) || !where_wanted(pc))
        return;
    Call &c = calls[tid];
    const ADDRINT number = PIN_GetSyscallNumber(context, std);
    c.process = getpid();
    c.call = SyscallOf(number, std);
    c.word = std == SYSCALL_STANDARD_IA32_LINUX ? 4 : 8;
    c.name = c.call ? c.call->name : "syscall_" + decstr(number);
    counts[c.name].calls++;
    c.note = where_by ? where_note(pc) : 0;
    if (where_by)
        places[std::make_pair(c.note, tid)].calls++;
    for (UINT32 i = 0; i < SYSCALL_ARGS; i++)
        c.values[i] = PIN_GetSyscallArgument(context, std, i);
    for (UINT32 i = 0; i < Arguments(c) && Writes(); i++)
        c.texts[i] = c.call ? Argument(c, i) : hexstr(c.values[i]);
}

static std::string ErrorName(INT32 error)
{
    const char *name = strerrorname_np(error);
    return name ? std::string(name) + " " : "";
}

// A child of vfork has the memory and the number of its parent's thread, so that its calls come between the two returns of vfork; its last one does not return.
static Call &Returning(THREADID tid)
{
    std::vector<Call> &waiting = vforks[tid];
    const INT32 process = getpid();
    if (calls.count(tid) && calls[tid].process != process) {
        size_t i = waiting.size();
        while (i && waiting[i - 1].process != process)
            i--;
        if (i) {
            Print(tid, "?");
            calls[tid] = waiting[i - 1];
            waiting.resize(i - 1);
        } else {
            waiting.push_back(calls[tid]);
        }
    }
    return calls[tid];
}

static VOID Exit(THREADID tid, CONTEXT *context, SYSCALL_STANDARD std, VOID *)
{
    Call &c = Returning(tid);
    if (c.name.empty()) { // it was not looked at
        calls.erase(tid);
        return;
    }
    const INT32 error = PIN_GetSyscallErrno(context, std);
    const ADDRINT result = PIN_GetSyscallReturn(context, std);
    counts[c.name].errors += error != 0;
    if (where_by)
        places[std::make_pair(c.note, tid)].errors += error != 0;
    for (UINT32 i = 0; c.call && Writes() && i < Arguments(c); i++)
        if (c.call->arg[i].way & SYSCALL_OUT && (!error || c.call->arg[i].flags & SYSCALL_FAILURE))
            c.texts[i] = Memory(c, i, error ? 0 : INT64(result));
    Print(tid, error ? "-1 " + ErrorName(error) + "(" + std::string(strerror(error)) + ")" : Number(c.call ? c.call->result : UINT32(SYSCALL_WORD), result, 0));
}

static bool More(const std::pair<std::string, Count> &a, const std::pair<std::string, Count> &b) { return a.second.calls > b.second.calls; }

static VOID Results(const lp_results_info *info)
{
    if (info->why != LP_RESULTS_DUMP)
        while (!calls.empty())
            Print(calls.begin()->first, "?");
    std::vector<std::pair<std::string, Count> > rows(counts.begin(), counts.end());
    std::stable_sort(rows.begin(), rows.end(), More);
    Result r;
    where_begin(&r, info);
    if (!where_by && KnobFormat.Value() == "text") {
        for (const std::string &note : r.notes)
            fprintf(out, "%s\n", note.c_str());
        fprintf(out, "%12s %12s  %s\n", "calls", "errors", "system call");
        for (size_t i = 0; i < rows.size() && (!where_top || i < where_top); i++)
            fprintf(out, "%12lu %12lu  %s\n", rows[i].second.calls, rows[i].second.errors, rows[i].first.c_str());
        fflush(out);
        return;
    }
    r.metrics = {{"calls", "calls", "of the system"}, {"errors", "calls", "that failed"}};
    r.totals.assign(2, 0);
    WhereCounts by_place(2);
    for (const auto &p : places) {
        by_place.Add(p.first.first, int(p.first.second), 0, p.second.calls);
        by_place.Add(p.first.first, int(p.first.second), 1, p.second.errors);
    }
    by_place.Into(&r);
    ResultTable t = {"system calls", "", {{"calls", "number"}, {"errors", "number"}, {"system-call", "text"}}, {}};
    r.totals.assign(2, 0);
    for (const auto &row : rows) {
        t.rows.push_back({row.second.calls, row.second.errors, row.first});
        r.totals[0] += row.second.calls;
        r.totals[1] += row.second.errors;
    }
    r.tables.push_back(t);
    where_write(&r);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    counts.clear();
    places.clear();
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"stack", "calls are made by the C library, whose callers are not looked for"}, {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, WhereTool{"strace", "every system call", "", "0", "callgrind"});
    PIN_AddSyscallEntryFunction(Enter, 0);
    PIN_AddSyscallExitFunction(Exit, 0);
    tool_results(Results, InChild, Writes());
    PIN_StartProgram();
}

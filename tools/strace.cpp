// SPDX-License-Identifier: Apache-2.0
// strace: every system call, with its arguments and its result, and at the end how often each was made.
#include "tool.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <sys/syscall.h>

#include "syscalls.h"

static KNOB<BOOL> KnobCount(KNOB_MODE_WRITEONCE, "pintool", "count", "0", "only how often each was made, and failed");
static KNOB<UINT32> KnobArgs(KNOB_MODE_WRITEONCE, "pintool", "args", "4", "show this many arguments (up to 6)");

struct Count {
    UINT64 calls, errors;
};
static std::map<ADDRINT, Count> counts;

// What a thread is in. The text is made before the call, which may change what its arguments point to.
struct Call {
    ADDRINT number;
    std::string text;
};
static std::map<THREADID, Call> calls; // callbacks do not run at the same time

static std::string NameOf(ADDRINT number)
{
    const char *name = number < sizeof syscall_names / sizeof syscall_names[0] ? syscall_names[number] : 0;
    return name ? name : "syscall_" + decstr(number);
}

// Which argument is a path; -1: none.
static int PathOf(ADDRINT number)
{
    switch (number) {
    case SYS_open: case SYS_stat: case SYS_lstat: case SYS_access: case SYS_execve: case SYS_chdir: case SYS_rename: case SYS_mkdir: case SYS_rmdir: case SYS_unlink: case SYS_readlink:
    case SYS_chmod: case SYS_chown: case SYS_statfs: case SYS_getxattr: case SYS_lgetxattr:
        return 0;
    case SYS_openat: case SYS_newfstatat: case SYS_unlinkat: case SYS_readlinkat: case SYS_faccessat: case SYS_faccessat2: case SYS_mkdirat: case SYS_fchmodat: case SYS_statx: case SYS_execveat:
        return 1;
    }
    return -1;
}

static std::string Path(ADDRINT address)
{
    char text[128] = "";
    size_t n = PIN_SafeCopy(text, Addrint2VoidStar(address), sizeof text - 1);
    text[n] = '\0';
    return n ? "\"" + std::string(text) + "\"" : hexstr(address);
}

static VOID Print(THREADID tid, const std::string &result)
{
    if (!KnobCount)
        fprintf(out, "%u %s = %s\n", tid, calls[tid].text.c_str(), result.c_str());
    calls.erase(tid);
}

static VOID Enter(THREADID tid, CONTEXT *context, SYSCALL_STANDARD std, VOID *)
{
    if (calls.count(tid))
        Print(tid, "?"); // it did not return: a signal handler left it
    Call &c = calls[tid];
    c.number = PIN_GetSyscallNumber(context, std);
    counts[c.number].calls++;
    if (KnobCount)
        return;
    c.text = NameOf(c.number) + "(";
    for (UINT32 i = 0; i < KnobArgs.Value() && i < 6; i++) {
        ADDRINT value = PIN_GetSyscallArgument(context, std, i);
        c.text += (i ? ", " : "") + (PathOf(c.number) == int(i) ? Path(value) : hexstr(value));
    }
    c.text += ")";
}

static VOID Exit(THREADID tid, CONTEXT *context, SYSCALL_STANDARD std, VOID *)
{
    INT32 error = PIN_GetSyscallErrno(context, std);
    counts[calls[tid].number].errors += error != 0;
    Print(tid, error ? "-1 (" + std::string(strerror(error)) + ")" : hexstr(PIN_GetSyscallReturn(context, std)));
}

static bool More(const std::pair<ADDRINT, Count> &a, const std::pair<ADDRINT, Count> &b) { return a.second.calls > b.second.calls; }

static VOID Fini(INT32, VOID *)
{
    while (!calls.empty())
        Print(calls.begin()->first, "?");
    std::vector<std::pair<ADDRINT, Count> > rows(counts.begin(), counts.end());
    std::stable_sort(rows.begin(), rows.end(), More);
    fprintf(out, "%12s %12s  %s\n", "calls", "errors", "system call");
    for (size_t i = 0; i < rows.size(); i++)
        fprintf(out, "%12lu %12lu  %s\n", rows[i].second.calls, rows[i].second.errors, NameOf(rows[i].first).c_str());
    fflush(out);
}

int main(int argc, char **argv)
{
    tool_start(argc, argv, "strace: every system call");
    PIN_AddSyscallEntryFunction(Enter, 0);
    PIN_AddSyscallExitFunction(Exit, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

// SPDX-License-Identifier: Apache-2.0
// The results' file, the options that all bundled tools have, and the moments at which results are given (tool.h).
#include "tool.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

KNOB<std::string> KnobOutput(KNOB_MODE_WRITEONCE, "pintool", "o", "", "file for the results, %p is the process number (default: standard error)");
FILE *out;

static std::string self; // the tool's name
static INT32 first_pid;  // the process that the tool was started in; children of a fork have others
static UINT8 *said;      // all of them share it: whoever sets it says it; a descriptor would be one that a program under a limit misses
static VOID (*give)(const lp_results_info *info);
static VOID (*reset)();
static BOOL streams; // results are written as they come, and none is written again

// --- files --------------------------------------------------------------------------------------------------------------

// A file of the tool's. When it cannot be written (the disk is full), that is said once, and the program goes on without the rest. In probe mode the program can close the
// descriptor, and have the number for a file of its own: what it leads to is looked at before each write, and the file is opened again.
struct ToolFile {
    std::string path;
    int fd; // -1: not opened yet
    BOOL failed;
    dev_t dev;
    ino_t ino;
    off_t at; // bytes written

    explicit ToolFile(const std::string &name) : path(name), fd(-1), failed(FALSE), dev(0), ino(0), at(0)
    {
        char here[4096];
        if (!path.empty() && path[0] != '/' && getcwd(here, sizeof here))
            full = std::string(here) + "/" + path;
        else
            full = path;
    }
    VOID Fail()
    {
        if (!failed)
            fprintf(stderr, "E: %s: %s; the rest of the results is lost\n", path.c_str(), strerror(errno));
        failed = TRUE;
    }
    BOOL TryOpen()
    {
        fd = open(full.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        struct stat st;
        if (fd >= 0 && fstat(fd, &st) == 0)
            dev = st.st_dev, ino = st.st_ino;
        return fd >= 0;
    }
    BOOL Open()
    {
        if (fd < 0 && !TryOpen())
            Fail();
        return fd >= 0;
    }
    BOOL IsOpen() const
    {
        struct stat st;
        return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
    }
    // Afterwards it can be written to, and what follows is put where it belongs.
    BOOL Check()
    {
        if (failed || fd < 0 || IsOpen())
            return !failed && Open();
        fd = open(full.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd >= 0 && !IsOpen()) { // the program has another file there
            close(fd);
            fd = -1;
            errno = ENOENT;
        }
        if (fd < 0)
            Fail();
        else
            lseek(fd, at, SEEK_SET);
        return fd >= 0;
    }
    VOID Rewind()
    {
        if (fd >= 0 && Check() && (at = 0, ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET)))
            lseek(fd, 0, SEEK_SET); // a pipe or a device: what follows is appended
    }
    VOID Close()
    {
        if (fd >= 0 && IsOpen() && close(fd))
            Fail();
    }

  private:
    std::string full; // the program may change its folder
};
static ToolFile *results_file; // of `out`; NULL: standard error

static ssize_t tool_write(VOID *cookie, const char *data, size_t bytes)
{
    ToolFile *file = static_cast<ToolFile *>(cookie);
    for (size_t done = 0; done < bytes && file->Check();) {
        ssize_t n = write(file->fd, data + done, bytes - done);
        if (n >= 0)
            done += size_t(n), file->at += off_t(n);
        else if (errno != EINTR)
            file->Fail();
    }
    return ssize_t(bytes);
}

static int tool_close(VOID *cookie)
{
    ToolFile *file = static_cast<ToolFile *>(cookie);
    file->Close();
    delete file;
    return 0;
}

static FILE *OpenLater(ToolFile *file)
{
    cookie_io_functions_t functions = {NULL, tool_write, NULL, tool_close};
    return fopencookie(file, "w", functions);
}

FILE *tool_try_open(const std::string &path)
{
    ToolFile *file = new ToolFile(path);
    if (file->TryOpen())
        return OpenLater(file);
    delete file;
    return NULL;
}

// A device, a pipe or a socket is the same for all.
static bool is_shared(const std::string &path)
{
    struct stat st;
    return stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

// No two programs of one run have the same name: a child of a fork and a program that was executed and followed add their process number, and the latter its generation, because
// a process may execute one program after the other.
std::string tool_path(std::string path)
{
    size_t at = path.find("%p");
    INT32 pid = PIN_GetPid();
    if (at == std::string::npos && is_shared(path))
        return path;
    if (at != std::string::npos)
        path.replace(at, 2, decstr(pid));
    else if (pid != first_pid || lp_generation())
        path += "." + decstr(pid);
    return lp_generation() ? path + "." + decstr(lp_generation()) : path;
}

FILE *tool_open(const std::string &name)
{
    std::string path = tool_path(name);
    FILE *f = tool_try_open(path);
    if (!f) {
        fprintf(stderr, "E: %s: %s\n", path.c_str(), strerror(errno));
        exit(1);
    }
    return f;
}

static VOID SetBuffer()
{
    static char buffer[1 << 16]; // standard error has none, and traces are long
    setvbuf(out, buffer, _IOFBF, sizeof buffer);
}

// --- processes ----------------------------------------------------------------------------------------------------------

static std::vector<PIN_LOCK *> locks;

VOID tool_init_lock(PIN_LOCK *lock)
{
    PIN_InitLock(lock);
    locks.push_back(lock);
}

static VOID ReleaseLocks()
{
    for (PIN_LOCK *lock : locks)
        PIN_ReleaseLock(lock);
}

static VOID BeforeFork(THREADID, const CONTEXT *, VOID *)
{
    for (PIN_LOCK *lock : locks)
        PIN_GetLock(lock, 1);
    fflush(out);
}
static VOID InParent(THREADID, const CONTEXT *, VOID *) { ReleaseLocks(); }

// The child's results are its own, and begin with the fork. Its file is made when there is something to write: most children execute another program at once.
static VOID InChild(THREADID, const CONTEXT *, VOID *)
{
    ReleaseLocks();
    if (results_file) {
        fclose(out);
        results_file = new ToolFile(tool_path(KnobOutput));
        out = OpenLater(results_file);
        SetBuffer();
    }
    if (reset)
        reset();
}

static VOID BeforeForkProbed(UINT32, VOID *) { BeforeFork(0, 0, 0); }
static VOID InParentProbed(UINT32, VOID *) { InParent(0, 0, 0); }
static VOID InChildProbed(UINT32, VOID *) { InChild(0, 0, 0); }

VOID tool_probed()
{
    PIN_AddForkFunctionProbed(FPOINT_BEFORE, BeforeForkProbed, 0);
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_PARENT, InParentProbed, 0);
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_CHILD, InChildProbed, 0);
}

static const ToolRefused *refused;
VOID tool_refuses(const ToolRefused *list) { refused = list; }

// The tool's own words are those before "--".
static VOID Refuse(int argc, char **argv, const std::string &tool)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        for (const ToolRefused *r = refused; r && r->options && argv[i][0] == '-'; r++)
            if ((" " + std::string(r->options) + " ").find(" " + std::string(argv[i] + 1) + " ") != std::string::npos) {
                fprintf(stderr, "E: %s: %s means nothing here: %s\n", tool.c_str(), argv[i], r->why);
                exit(1);
            }
}

VOID tool_start(int argc, char **argv, const char *what)
{
    Refuse(argc, argv, std::string(what).substr(0, std::string(what).find(':')));
    if (PIN_Init(argc, argv)) {
        fprintf(stderr, "%s\n%s\n", what, KNOB_BASE::StringKnobSummary().c_str());
        exit(1);
    }
    self = std::string(what).substr(0, std::string(what).find(':'));
    first_pid = PIN_GetPid();
    VOID *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    said = page == MAP_FAILED ? NULL : static_cast<UINT8 *>(page);
    out = stderr;
    if (!KnobOutput.Value().empty()) {
        results_file = new ToolFile(tool_path(KnobOutput));
        if (!results_file->Open())
            exit(1);
        out = OpenLater(results_file);
    }
    SetBuffer();
    PIN_AddForkFunction(FPOINT_BEFORE, BeforeFork, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, InParent, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, InChild, 0);
}

// --- one thread ---------------------------------------------------------------------------------------------------------

BOOL tool_alone;
enum { CLONE_OF_IA32 = 120 }; // another call of x86-64, whose argument may look like flags: then locks come too early

static VOID EndAlone()
{
    if (tool_alone)
        PIN_RemoveInstrumentation();
    tool_alone = FALSE;
}

// The only thread is about to make another one, or a process in the same memory that it does not wait for: after its system call it runs in new code.
static VOID BeforeSyscall(ADDRINT number, ADDRINT argument)
{
    UINT64 flags = 0;
    if (number == SYS_clone || number == CLONE_OF_IA32)
        flags = argument;
    else if (number != SYS_clone3 || PIN_SafeCopy(&flags, reinterpret_cast<VOID *>(argument), sizeof flags) != sizeof flags)
        return;
    if (flags & CLONE_THREAD || (flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
        EndAlone();
}

static VOID Syscall(INS ins, VOID *)
{
    if (tool_alone && INS_IsSyscall(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(BeforeSyscall), IARG_SYSCALL_NUMBER, IARG_SYSARG_VALUE, 0, IARG_END);
}

static VOID AnotherThread(THREADID tid, CONTEXT *, INT32, VOID *)
{
    if (tid)
        EndAlone(); // an attach: no thread has run yet
}

extern "C" __attribute__((weak)) const bool lp_whole_system; // it is there under linchpin system only

VOID tool_watch_alone()
{
    if (&lp_whole_system)
        return; // its processors come without a system call
    tool_alone = TRUE;
    INS_AddInstrumentFunction(Syscall, 0);
    PIN_AddThreadStartFunction(AnotherThread, 0);
}

// --- results ------------------------------------------------------------------------------------------------------------

static VOID SayExecuted(const char *path)
{
    if (said && !__atomic_exchange_n(said, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "%s: the program has executed %s: its counts end here, -follow_execv goes on\n", self.c_str(), path);
}

// A child that was forked only to execute another program has nothing to say on a terminal.
static BOOL IsNoise(const lp_results_info *info) { return info->why == LP_RESULTS_EXEC && !results_file && PIN_GetPid() != first_pid; }

static VOID Give(const lp_results_info *info, VOID *)
{
    if (info->why == LP_RESULTS_EXEC && !info->followed)
        SayExecuted(info->executed);
    if (IsNoise(info))
        return;
    fflush(out);
    if (results_file && !streams)
        results_file->Rewind();
    give(info);
    fflush(out);
}

VOID tool_results(VOID (*function)(const lp_results_info *info), VOID (*in_child)(), BOOL are_streamed)
{
    streams = are_streamed;
    give = function;
    reset = in_child;
    lp_add_results_function(Give, 0);
}

static VOID (*fini)(INT32, VOID *);
static VOID GiveFini(const lp_results_info *info) { fini(info->status, 0); }

VOID tool_fini(VOID (*function)(INT32, VOID *), BOOL are_streamed, VOID (*in_child)())
{
    fini = function;
    tool_results(GiveFini, in_child, are_streamed);
}

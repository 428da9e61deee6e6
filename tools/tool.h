/* SPDX-License-Identifier: Apache-2.0
 * What the bundled tools share: where results go, counters that threads may share, and names of addresses. Each tool is one source that includes this; nothing here instruments anything. */
#ifndef TOOL_H
#define TOOL_H
#include "pin.H"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

static KNOB<std::string> KnobOutput(KNOB_MODE_WRITEONCE, "pintool", "o", "", "file for the results, %p is the process number (default: standard error)");
static FILE *out;

/* A file of the tool's. When it cannot be written (the disk is full), that is said once, and the program goes on without the rest. */
struct ToolFile {
    std::string path;
    int fd;
    BOOL failed;

    VOID Fail()
    {
        if (!failed)
            fprintf(stderr, "E: %s: %s; the rest of the results is lost\n", path.c_str(), strerror(errno));
        failed = TRUE;
    }
};

static inline ssize_t tool_write(VOID *cookie, const char *data, size_t bytes)
{
    ToolFile *file = static_cast<ToolFile *>(cookie);
    for (size_t done = 0; done < bytes && !file->failed;) {
        ssize_t n = write(file->fd, data + done, bytes - done);
        if (n >= 0)
            done += size_t(n);
        else if (errno != EINTR)
            file->Fail();
    }
    return ssize_t(bytes);
}

static inline int tool_close(VOID *cookie)
{
    ToolFile *file = static_cast<ToolFile *>(cookie);
    if (close(file->fd))
        file->Fail();
    delete file;
    return 0;
}

/* NULL: it cannot be opened (errno). Whoever writes to it need not look whether that goes well. */
static inline FILE *tool_try_open(const std::string &path)
{
    int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    cookie_io_functions_t functions = {NULL, tool_write, NULL, tool_close};
    return fopencookie(new ToolFile{path, fd, FALSE}, "w", functions);
}

/* Opens a file for writing; %p in its name is the process number. */
static inline FILE *tool_open(std::string path)
{
    size_t at = path.find("%p");
    if (at != std::string::npos)
        path.replace(at, 2, decstr(PIN_GetPid()));
    FILE *f = tool_try_open(path);
    if (!f) {
        fprintf(stderr, "E: %s: %s\n", path.c_str(), strerror(errno));
        exit(1);
    }
    return f;
}

/* Reads the options and opens the output. On wrong options the process ends with the list of them. */
static inline VOID tool_start(int argc, char **argv, const char *what)
{
    if (PIN_Init(argc, argv)) {
        fprintf(stderr, "%s\n%s\n", what, KNOB_BASE::StringKnobSummary().c_str());
        exit(1);
    }
    out = KnobOutput.Value().empty() ? stderr : tool_open(KnobOutput);
    static char buffer[1 << 16]; /* standard error has none, and traces are long */
    setvbuf(out, buffer, _IOFBF, sizeof buffer);
}

/* Counters are shared by all threads; a lost count would be a wrong result. */
static inline VOID tool_add(UINT64 *counter, UINT64 n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

/* Analysis: one more. */
__attribute__((unused)) static VOID tool_count(UINT64 *counter) { tool_add(counter, 1); }

/* A PIN_LOCK held as long as the variable lives. */
class Locked
{
  public:
    explicit Locked(PIN_LOCK *lock) : lock(lock) { PIN_GetLock(lock, 1); }
    ~Locked() { PIN_ReleaseLock(lock); }

  private:
    PIN_LOCK *lock;
};

/* The file's name without its directories. */
static inline std::string tool_base_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/* image:routine, image+offset, or the bare address. */
static inline std::string tool_name_of(ADDRINT address)
{
    RTN rtn = RTN_FindByAddress(address);
    IMG img = IMG_FindByAddress(address);
    char text[64];
    if (RTN_Valid(rtn))
        return (IMG_Valid(img) ? tool_base_name(IMG_Name(img)) + ":" : std::string()) + PIN_UndecorateSymbolName(RTN_Name(rtn), UNDECORATION_COMPLETE);
    snprintf(text, sizeof text, "0x%lx", IMG_Valid(img) ? address - IMG_LowAddress(img) : address);
    return IMG_Valid(img) ? tool_base_name(IMG_Name(img)) + "+" + text : text;
}

/* The same with the source file and line, where known. */
static inline std::string tool_place(ADDRINT address)
{
    std::string file;
    INT32 line = 0;
    PIN_GetSourceLocation(address, NULL, &line, &file);
    return tool_name_of(address) + (file.empty() ? "" : " at " + tool_base_name(file) + ":" + decstr(line));
}

static inline double tool_percent(UINT64 part, UINT64 whole) { return whole ? 100.0 * double(part) / double(whole) : 0; }

#endif

/* SPDX-License-Identifier: Apache-2.0
 * What the bundled tools share: where results go, counters that threads may share, and names of addresses. Each tool is one source that includes this, and is linked with
 * tools/lib; nothing here instruments anything. */
#ifndef TOOL_H
#define TOOL_H
#include "pin.H"

#include "linchpin/results.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern KNOB<std::string> KnobOutput;
extern FILE *out; /* where the results go */

/* Opens a file for writing; %p in its name is the process number. tool_open: or says why not, and ends the process. NULL: it cannot be opened (errno). Whoever writes to it need not
 * look whether that goes well. */
FILE *tool_try_open(const std::string &path);
FILE *tool_open(const std::string &path);
/* The path as it is for this process and program, so that no two of one run are the same. */
std::string tool_path(std::string path);

/* Options that most tools have and this one not, several with blanks, and why. Before tool_start; the last has no options. */
struct ToolRefused {
    const char *options, *why;
};
VOID tool_refuses(const ToolRefused *list);
/* The controller's options, for such a list (docs/instlib.md). */
#define TOOL_CONTROL "control skip length start_address stop_address start_ssc_mark stop_ssc_mark"

/* Reads the options and opens the output. On wrong options the process ends with the list of them. */
VOID tool_start(int argc, char **argv, const char *what);

/* After tool_start, for a tool that starts its program with PIN_StartProgramProbed: what a fork asks for there. */
VOID tool_probed();

/* The function that writes the results to `out`: at the end of the process, by exit or by a signal, before another program is executed, when the tool is taken out, and in between
 * (linchpin dump): so it must not change them. in_child: NULL, or what begins with nothing again in the child of a fork. */
VOID tool_results(VOID (*function)(const lp_results_info *info), VOID (*in_child)(), BOOL streams = FALSE);
/* The same in place of PIN_AddFiniFunction. streams, of both: the tool writes as it goes, and only a summary at the end. */
VOID tool_fini(VOID (*function)(INT32, VOID *), BOOL streams, VOID (*in_child)() = 0);

/* Counters are shared by all threads; a lost count would be a wrong result. */
static inline VOID tool_add(UINT64 *counter, UINT64 n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

/* Analysis: one more. */
__attribute__((unused)) static VOID tool_count(UINT64 *counter) { tool_add(counter, 1); }

/* The program has had one thread so far, which may count without a lock. When it makes another, all that was inserted goes, and is inserted anew. tool_watch_alone: before it starts,
 * for a tool that looks at this. */
extern BOOL tool_alone;
VOID tool_watch_alone();
/* Analysis: one more, of the only thread. */
__attribute__((unused)) static VOID tool_count_alone(UINT64 *counter) { ++*counter; }
static inline AFUNPTR tool_counter() { return tool_alone ? AFUNPTR(tool_count_alone) : AFUNPTR(tool_count); }

/* For a lock that analysis routines take: it is free in the child of a fork, whatever other threads do meanwhile. Who holds one must not ask for the client lock. */
VOID tool_init_lock(PIN_LOCK *lock);

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

/* SPDX-License-Identifier: Apache-2.0
 * What the bundled tools of probe mode share: replacements by name, one lock that is whole in the child of a fork, and
 * sites, which are return addresses that get names at the end. A replacement is never under the lock while it calls the
 * function that it replaces: that may block, and may be left by an exception or a cancelled thread. Lock order: the
 * client lock, then this one. */
#ifndef PROBED_H
#define PROBED_H
#include "lib/where.h"
#include "region.h"

#include <ctime>
#include <tuple>

static PIN_LOCK probed_lock; /* of the tool's tables */
static std::vector<std::string> probed_refused;
static std::map<ADDRINT, ADDRINT> probed_at;     /* functions that have one: start and end */
static std::map<ADDRINT, ADDRINT> probed_images; /* start and end */
static VOID (*probed_reset)();

static inline UINT64 probed_now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return UINT64(t.tv_sec) * 1000000000 + UINT64(t.tv_nsec);
}

typedef ADDRINT (*ProbedOriginal)(ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d);

/* Is there a function of this name in the image that has no replacement yet? Other names of the same code are the same
 * function. */
static inline RTN probed_find(IMG img, const char *name)
{
    RTN rtn = RTN_FindByName(img, name);
    Locked locked(&probed_lock);
    if (!RTN_Valid(rtn) || !probed_at.emplace(RTN_Address(rtn), RTN_Address(rtn) + RTN_Size(rtn)).second)
        return RTN_Invalid();
    if (RTN_IsSafeForProbedReplacement(rtn))
        return rtn;
    probed_refused.push_back(tool_base_name(IMG_Name(img)) + ":" + name);
    return RTN_Invalid();
}

/* Under the lock. */
static inline BOOL probed_within(const std::map<ADDRINT, ADDRINT> &ranges, ADDRINT address)
{
    auto i = ranges.upper_bound(address);
    return i != ranges.begin() && address <= std::prev(i)->second;
}

/* Under the lock. The function that the thread is in, by its stack pointer: what it goes on to by a jump is no call of
 * the program's, and seems to return to no image at all. What it calls returns into its code. */
static __thread ADDRINT probed_inside;
static inline BOOL probed_is_nested(ADDRINT site, ADDRINT sp)
{
    if (probed_within(probed_at, site - 1))
        return TRUE;
    return probed_inside && sp <= probed_inside && probed_inside - sp < 256 && !probed_within(probed_images, site - 1);
}

/* An exception leaves it as it is: it is looked at only for calls from no image. */
static inline ADDRINT probed_call(ProbedOriginal original, ADDRINT sp, ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d)
{
    ADDRINT outer = probed_inside;
    probed_inside = sp;
    ADDRINT result = original(a, b, c, d);
    probed_inside = outer;
    return result;
}

static inline VOID probed_load(IMG img, VOID *)
{
    Locked locked(&probed_lock);
    probed_images[IMG_LowAddress(img)] = IMG_HighAddress(img);
}

/* An image has gone: another may come to its place. */
static inline VOID probed_unload(IMG img, VOID *)
{
    Locked locked(&probed_lock);
    probed_images.erase(IMG_LowAddress(img));
    probed_at.erase(probed_at.lower_bound(IMG_LowAddress(img)), probed_at.upper_bound(IMG_HighAddress(img)));
}

/* Puts fn, which has the arguments of Wrapper, in place of a function with up to four arguments, all of them words. */
typedef ADDRINT (*ProbedWrapper)(ProbedOriginal original, UINT32 which, ADDRINT site, ADDRINT sp, ADDRINT a, ADDRINT b,
                                 ADDRINT c, ADDRINT d);
static inline VOID probed_replace(IMG img, const char *name, UINT32 which, ProbedWrapper fn)
{
    RTN rtn = probed_find(img, name);
    if (!RTN_Valid(rtn))
        return;
    PROTO p = PROTO_Allocate(PIN_PARG(ADDRINT), CALLINGSTD_DEFAULT, name, PIN_PARG(ADDRINT), PIN_PARG(ADDRINT),
                             PIN_PARG(ADDRINT), PIN_PARG(ADDRINT), PIN_PARG_END());
    if (!RTN_ReplaceSignatureProbed(rtn, AFUNPTR(fn), IARG_PROTOTYPE, p, IARG_ORIG_FUNCPTR, IARG_UINT32, which,
                                    IARG_RETURN_IP, IARG_REG_VALUE, REG_STACK_PTR, IARG_FUNCARG_ENTRYPOINT_VALUE, 0,
                                    IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_FUNCARG_ENTRYPOINT_VALUE, 2,
                                    IARG_FUNCARG_ENTRYPOINT_VALUE, 3, IARG_END))
        probed_refused.push_back(tool_base_name(IMG_Name(img)) + ":" + name);
    PROTO_Free(p);
}

/* --- forks: the lock is held across one ----------------------------------------------------------------------------- */
static VOID ProbedBeforeFork(UINT32, VOID *)
{
    PIN_LockClient();
    PIN_GetLock(&probed_lock, 1);
}
static VOID ProbedAfterFork(UINT32, VOID *is_child)
{
    if (is_child)
        probed_reset();
    PIN_ReleaseLock(&probed_lock);
    PIN_UnlockClient();
}

/* In place of where_start. reset: begins with nothing, in the child of a fork. What counts instructions has no meaning
 * here: the program is not translated. */
static inline VOID probed_start(int argc, char **argv, const WhereTool &tool, IMAGECALLBACK image,
                                VOID (*results)(const lp_results_info *), VOID (*reset)())
{
    static const ToolRefused refused[] = {
        {"tid stop_after " TOOL_CONTROL, "the program runs natively, and is looked at as a whole"},
        {"by", "its tables have rows of their own"},
        {"main image routine", "what is told of a lock, a file or a block is of all code that uses it"},
        {"stack", "the place of a call is known, and not who called that"},
        {NULL, NULL}};
    tool_refuses(refused);
    where_start(argc, argv, tool);
    PIN_InitLock(&probed_lock);
    probed_reset = reset;
    PIN_AddForkFunctionProbed(FPOINT_BEFORE, ProbedBeforeFork, 0);
    tool_probed();
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_PARENT, ProbedAfterFork, 0);
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_CHILD, ProbedAfterFork, &probed_lock);
    IMG_AddInstrumentFunction(probed_load, 0);
    IMG_AddInstrumentFunction(image, 0);
    IMG_AddUnloadFunction(probed_unload, 0);
    tool_results(results, 0);
}

/* Functions that have no probe are told with the results. */
static inline VOID probed_begin(Result *r, const lp_results_info *info)
{
    where_begin(r, info);
    for (const std::string &name : probed_refused)
        r->notes.push_back("not watched, because it takes no probe: " + name);
}

/* image:routine at file:line of the call that returns to the site. */
static inline std::string probed_place(ADDRINT site) { return tool_place(site - 1); }

#endif

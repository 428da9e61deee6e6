/* SPDX-License-Identifier: Apache-2.0
 * For an attach in probe mode: counts the calls of `visited`, each with a lock and thread-local storage, and says of its
 * threads what it has been told: the process' first thread first, all of them before the first call. In the thread that
 * blocks SIGUSR2 it has SIGUSR1 blocked instead. Adds a line to its result whenever it is asked for results, and at its
 * own ends. */
#include "pin.H"
#include "linchpin/results.h"

#include <csignal>
#include <cstdio>
#include <mutex>
#include <string>

static KNOB<std::string> KnobOut(KNOB_MODE_WRITEONCE, "pintool", "o", "", "where the result goes");
static KNOB<UINT32> KnobThreads(KNOB_MODE_WRITEONCE, "pintool", "threads", "0", "so many threads are there at the attach");

static UINT64 hits, early, first, came, left;
static OS_THREAD_ID in_main;
static std::mutex lock;
static thread_local UINT64 mine;

static VOID Visited()
{
    mine++;
    std::lock_guard<std::mutex> guard(lock);
    hits += mine > 0;
    early += came != KnobThreads;
}

static VOID Image(IMG img, VOID *)
{
    RTN rtn = IMG_IsMainExecutable(img) ? RTN_FindByName(img, "visited") : RTN_Invalid();
    if (RTN_Valid(rtn))
        RTN_InsertCallProbed(rtn, IPOINT_BEFORE, AFUNPTR(Visited), IARG_END);
}

static VOID Came(VOID *mask, VOID *)
{
    sigset_t *set = (sigset_t *)mask;
    if (!came)
        first = PIN_GetTid() == in_main && in_main == (OS_THREAD_ID)PIN_GetPid();
    came++;
    if (sigismember(set, SIGUSR2)) {
        sigdelset(set, SIGUSR2);
        sigaddset(set, SIGUSR1);
    }
}

static VOID Left(VOID *) { __atomic_add_fetch(&left, 1, __ATOMIC_RELAXED); }

static VOID Say(const char *what)
{
    std::lock_guard<std::mutex> guard(lock);
    FILE *f = fopen(KnobOut.Value().c_str(), "a");
    if (!f)
        return;
    fprintf(f, "%s hits %d early %lu first %lu came %lu left %lu\n", what, hits >= 8000, (unsigned long)early,
            (unsigned long)first, (unsigned long)came, (unsigned long)left);
    fclose(f);
}

static VOID Results(const struct lp_results_info *info, VOID *)
{
    Say(info->why == LP_RESULTS_DUMP ? "dump" : info->why == LP_RESULTS_DETACH ? "detached" : "exit");
}

static VOID Detached(VOID *) { Say("leaving"); }
static VOID Fini(INT32 status, VOID *) { Say(("fini " + std::to_string(status)).c_str()); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    in_main = PIN_GetTid();
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddThreadAttachProbedFunction(Came, 0);
    PIN_AddThreadDetachProbedFunction(Left, 0);
    PIN_AddDetachFunctionProbed(Detached, 0);
    PIN_AddFiniFunction(Fini, 0);
    lp_add_results_function(Results, 0);
    PIN_StartProgramProbed();
}

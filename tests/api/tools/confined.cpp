/* SPDX-License-Identifier: Apache-2.0
 * Where the tool's memory and the code cache are (-pin_memory_range, -cc_memory_range): low, high, code_low and code_high are the ranges. fill=1: until there is no more, after which the out-of-memory
 * function prints. */
#include "golden.h"

#include <sys/mman.h>
#include <vector>

static ADDRINT low, high, code_low, code_high;
static UINT64 outside, traces, elsewhere;

static VOID Look(const VOID *p) { outside += ADDRINT(p) < low || ADDRINT(p) >= high; }
static VOID OnTrace(TRACE trace, VOID *)
{
    traces++;
    ADDRINT at = TRACE_CodeCacheAddress(trace);
    elsewhere += at < code_low || at >= code_high;
}
static VOID OnMemory(size_t, VOID *)
{
    std::printf("told that there is no more\n");
    std::fflush(stdout);
    PIN_ExitProcess(3);
}

static VOID Internal(VOID *)
{
    UINT32 local = 0;
    Look(&local); // the stack of a thread
}

static VOID Sizes()
{
    std::vector<VOID *> all;
    for (int round = 0; round < 3; round++) { // what was given back is given out again
        for (size_t bytes = 1; bytes < (4ul << 20); bytes += bytes / 2 + 1)
            all.push_back(malloc(bytes)), Look(all.back());
        for (size_t i = 0; i < all.size(); i++)
            all[i] = realloc(all[i], 3000 * i + 1), Look(all[i]);
        for (VOID *p : all)
            free(p);
        all.clear();
    }
    VOID *p = mmap(NULL, 300000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Look(p);
    munmap(p, 300000);
}

static VOID Fill()
{
    for (int i = 0; i < 1 << 16; i++)
        Look(malloc(1 << 16));
}

static VOID OnFini(INT32, VOID *)
{
    PIN_THREAD_UID uid;
    PIN_SpawnInternalThread(Internal, NULL, 0, &uid);
    PIN_WaitForThreadTermination(uid, PIN_INFINITE_TIMEOUT, NULL);
    Sizes();
    std::printf("outside %lu, code elsewhere %lu of %s\n", outside, elsewhere, traces > 20 ? "many" : "few");
    std::fflush(stdout);
    if (option("fill"))
        Fill();
}

int main(int argc, char *argv[])
{
    PIN_Init(argc, argv);
    low = at("low"), high = at("high"), code_low = at("code_low"), code_high = at("code_high");
    for (int i = 0; i < 4000; i++)
        free(malloc(16)); // of what was there before the range was named nothing may be left
    CODECACHE_AddTraceInsertedFunction(OnTrace, NULL);
    PIN_AddOutOfMemoryFunction(OnMemory, NULL);
    PIN_AddFiniFunction(OnFini, NULL);
    PIN_StartProgram();
}

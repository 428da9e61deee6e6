/* SPDX-License-Identifier: Apache-2.0
 * What a tool hears of the end of a program, by exit and by signals alike: prepare-for-fini, the end of each thread,
 * the unloading of each image, fini with the data of all threads that have no destructor; then its own global objects
 * are destroyed. The setting how= is written into the guest's variable of that name. */
#include "golden.h"

static TLS_KEY key, destroyed_key;
static UINT32 started, ended, unloaded, destroyed;
static bool main_unloaded;

static struct Global {
    ~Global()
    {
        std::printf("the tool's destructor\n");
    }
} global;

static VOID Destroy(VOID *) { destroyed++; }

static VOID ThreadStart(THREADID id, CONTEXT *, INT32, VOID *)
{
    started++;
    PIN_SetThreadData(key, &started, id);
    PIN_SetThreadData(destroyed_key, &started, id);
    if (id == 0)
        *reinterpret_cast<volatile int *>(at("at_how")) = std::atoi(option("how"));
}

static VOID ThreadFini(THREADID id, const CONTEXT *, INT32, VOID *)
{
    if (++ended == started)
        std::printf("%u threads have ended, the last thread's data is %s\n", ended, PIN_GetThreadData(key, id) && PIN_GetThreadData(destroyed_key, id) ? "there" : "not there");
}

static VOID Unload(IMG img, VOID *)
{
    if (!unloaded++)
        std::printf("images are told to be unloaded: %s is %s\n", IMG_IsMainExecutable(img) ? "ends" : "another", IMG_Valid(IMG_FindByAddress(IMG_LowAddress(img))) ? "loaded" : "not loaded");
    main_unloaded |= IMG_IsMainExecutable(img);
}

static VOID Prepare(VOID *) { std::printf("prepare\n"); }
static VOID FiniUnlocked(INT32, VOID *) { std::printf("fini unlocked\n"); }
static VOID Fini(INT32 code, VOID *)
{
    UINT32 n = 0;
    for (THREADID id = 0; id < started; id++)
        n += PIN_GetThreadData(key, id) == &started && !PIN_GetThreadData(destroyed_key, id);
    std::printf("fini %d: thread data of %u threads%s%s\n", code, n, main_unloaded && unloaded > 2 ? "" : ", images not unloaded", destroyed == started ? "" : ", data not destroyed");
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    key = PIN_CreateThreadDataKey(0);
    destroyed_key = PIN_CreateThreadDataKey(Destroy);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddThreadFiniFunction(ThreadFini, 0);
    IMG_AddUnloadFunction(Unload, 0);
    PIN_AddPrepareForFiniFunction(Prepare, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_AddFiniUnlockedFunction(FiniUnlocked, 0);
    PIN_StartProgram();
}

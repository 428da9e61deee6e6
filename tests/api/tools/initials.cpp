/* SPDX-License-Identifier: Apache-2.0
 * Objects of the API at their beginning and their end: locks made where there was something else, given up while they are taken; what is given back so often that it would not fit if it were kept
 * (with -pin_memory_size). */
#include "golden.h"

static union {
    PIN_LOCK lock;
    PIN_MUTEX mutex;
    PIN_RWMUTEX rw;
    PIN_SEMAPHORE semaphore;
    UINT8 bytes[256];
} u;
static VOID Dirty() { memset(u.bytes, 0xaa, sizeof u.bytes); }

static VOID Locks()
{
    Dirty();
    PIN_InitLock(&u.lock);
    std::printf("lock %u, owner %d\n", u.lock.lock, u.lock.owner);
    Dirty();
    BOOL made = PIN_MutexInit(&u.mutex), taken = made && PIN_MutexTryLock(&u.mutex);
    std::printf("mutex %d, taken %d, again %d\n", made, taken, PIN_MutexTryLock(&u.mutex));
    PIN_MutexFini(&u.mutex);
    std::printf("after its end %d\n", PIN_MutexTryLock(&u.mutex));
    Dirty();
    made = PIN_RWMutexInit(&u.rw), taken = made && PIN_RWMutexTryWriteLock(&u.rw);
    std::printf("rwmutex %d, taken %d, again %d\n", made, taken, PIN_RWMutexTryReadLock(&u.rw));
    PIN_RWMutexFini(&u.rw);
    std::printf("after its end %d\n", PIN_RWMutexTryWriteLock(&u.rw));
    Dirty();
    made = PIN_SemaphoreInit(&u.semaphore);
    std::printf("semaphore %d, set %d", made, PIN_SemaphoreIsSet(&u.semaphore));
    PIN_SemaphoreSet(&u.semaphore);
    std::printf(", then %d", PIN_SemaphoreIsSet(&u.semaphore));
    PIN_SemaphoreFini(&u.semaphore);
    std::printf(", after its end %d\n", PIN_SemaphoreIsSet(&u.semaphore));
}

static VOID OnMemory(size_t, VOID *)
{
    std::printf("not given back\n");
    std::fflush(stdout);
    PIN_ExitProcess(3);
}

static VOID GivenBack()
{
    for (int i = 0; i < 600000; i++) {
        PROTO p = PROTO_Allocate(PIN_PARG(int), CALLINGSTD_DEFAULT, "some_name_of_a_function", PIN_PARG(long), PIN_PARG(char *), PIN_PARG_END());
        PROTO_Free(p);
    }
    for (int i = 0; i < 600000; i++) {
        IARGLIST list = IARGLIST_Alloc();
        IARGLIST_AddArguments(list, IARG_UINT32, i, IARG_END);
        IARGLIST_Free(list);
    }
    std::printf("given back\n");
}

static VOID Texts() { std::printf("%s|%p\n", DECSTR(6)(42).c_str(), Addrint2VoidStar(0x1234)); }

static VOID Sets()
{
    REGSET s;
    REGSET_Insert(s, REG_RBX);
    REGSET_Insert(s, REG_XMM3);
    std::printf("set %u %d %d", REGSET_PopCount(s), REGSET_Contains(s, REG_RBX), REGSET_Contains(s, REG_RCX));
    REGSET_Clear(s);
    std::printf(", then %u %d\n", REGSET_PopCount(s), REGSET_Contains(s, REG_RBX));
}

int main(int argc, char *argv[])
{
    begin(argc, argv);
    Locks();
    Texts();
    Sets();
    PIN_AddOutOfMemoryFunction(OnMemory, NULL);
    GivenBack();
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Callbacks of system calls run one after the other, unless the tool allows them to run side by side (allow=yes): each waits for the other for a while. Rule A7. */
#include "golden.h"

#include <sys/syscall.h>

static volatile int inside, met;
static bool allow;

static VOID Entry(THREADID, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    if (PIN_GetSyscallNumber(ctxt, std) != SYS_getppid)
        return;
    __sync_fetch_and_add(&inside, 1);
    /* Side by side they meet however long it takes; one after the other they never do. */
    for (int i = 0; inside != 2 && (allow || i < 10000); i++)
        PIN_Yield();
    if (inside == 2)
        __sync_fetch_and_add(&met, 1);
    if (!allow)
        __sync_fetch_and_sub(&inside, 1);
}

static VOID Fini(INT32, VOID *) { std::printf("met %d\n", met); }
static VOID Unlocked(INT32, VOID *) { std::printf("unlocked\n"); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    allow = option("allow");
    PIN_AddFiniUnlockedFunction(Unlocked, 0);
    PIN_CALLBACK fini = PIN_AddFiniFunction(Fini, 0);
    CALLBACK_SetExecutionPriority(fini, 150);
    if (CALLBACK_GetExecutionPriority(fini) != 150)
        std::printf("wrong priority\n");
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_CONFIGURATION_INFO info = PIN_CreateDefaultConfigurationInfo();
    if (allow)
        PIN_SetAllowedConcurrentCallbacks(info, PIN_CALLBACK_TYPE_SYSCALL);
    PIN_StartProgram(info);
}

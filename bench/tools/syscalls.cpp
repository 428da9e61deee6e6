// SPDX-License-Identifier: Apache-2.0
// syscalls: functions at the entry and exit of every system call, which look at its number and result.
#include "result.h"

static UINT64 calls, failed;

static VOID Entry(THREADID, CONTEXT *context, SYSCALL_STANDARD standard, VOID *) { calls += PIN_GetSyscallNumber(context, standard) != ~ADDRINT(0); }

static VOID Exit(THREADID, CONTEXT *context, SYSCALL_STANDARD standard, VOID *) { failed += PIN_GetSyscallErrno(context, standard) != 0; }

static VOID Fini(INT32, VOID *)
{
    result_write("calls", calls);
    result_write("failed", failed);
}

int main(int argc, char **argv)
{
    result_start(argc, argv);
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddSyscallExitFunction(Exit, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

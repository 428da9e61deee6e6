/* SPDX-License-Identifier: Apache-2.0
 * Calls at system call instructions. watch=1: with callbacks, too. change=1: the argument of sched_yield's place is changed by reference. taken=1: only whether they branch. wrong=...: misuse. Rule A15. */
#include "golden.h"

#include <sys/syscall.h>

static ADDRINT current;
static bool change;

/* Numbers of processes and users are not the same everywhere. */
static bool is_id(ADDRINT nr) { return nr == 110 || nr == 39 || nr == 102 || nr == 58 || nr == 60 || nr == 61; }

static VOID Before(ADDRINT nr, ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d, ADDRINT e, ADDRINT f, ADDRINT *first, ADDRINT *last, BOOL native)
{
    current = nr;
    std::printf("before %lu", nr);
    if (nr == 3)
        std::printf(" (%lu %lu %lu %lu %lu %lu) same %lu %lu", a, b, c, d, e, f, *first, *last);
    if (nr == 6 && !native)
        std::printf(" (%lu)", a);
    std::printf("\n");
    std::fflush(stdout);
}

static VOID Number(ADDRINT *nr)
{
    if (change && *nr == 24)
        *nr = 1000;
}

static VOID Wrong(ADDRINT, ...) {}

static VOID After(ADDRINT result, INT32 error, ADDRINT pc, const CONTEXT *ctxt)
{
    bool id = is_id(current) && !error;
    std::printf("after: %ld %d at %d\n", id ? 1 : (long)result, error, PIN_GetContextReg(ctxt, REG_INST_PTR) == pc + 2);
    std::fflush(stdout);
}

static VOID Taken(BOOL taken, ADDRINT nr)
{
    static int calls, taken_calls;
    calls++;
    taken_calls += taken != 0;
    if (nr == SYS_exit_group)
        std::printf("%d system calls, %d taken\n", calls, taken_calls);
    std::fflush(stdout);
}

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    if (option("taken")) {
        if (INS_IsValidForIarg(ins, IARG_BRANCH_TAKEN) && INS_IsSyscall(ins))
            INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Taken), IARG_BRANCH_TAKEN, IARG_SYSCALL_NUMBER, IARG_END);
        return;
    }
    const char *wrong = option("wrong");
    if (wrong && INS_IsSyscall(ins) && !std::strcmp(wrong, "ret"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Wrong), IARG_SYSRET_VALUE, IARG_END);
    if (wrong && INS_IsSyscall(ins) && !std::strcmp(wrong, "arg"))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Wrong), IARG_SYSARG_VALUE, 0, IARG_END);
    if (wrong && !INS_IsSyscall(ins) && !std::strcmp(wrong, "place"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Wrong), IARG_SYSCALL_NUMBER, IARG_END);
    if (!INS_IsSyscall(ins))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Before), IARG_SYSCALL_NUMBER, IARG_SYSARG_VALUE, 0, IARG_SYSARG_VALUE, 1, IARG_SYSARG_VALUE, 2, IARG_SYSARG_VALUE, 3, IARG_SYSARG_VALUE, 4,
                   IARG_SYSARG_VALUE, 5, IARG_SYSARG_REFERENCE, 0, IARG_SYSARG_REFERENCE, 5, IARG_BOOL, INS_SyscallStd(ins) == SYSCALL_STANDARD_IA32E_LINUX, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Number), IARG_REG_REFERENCE, REG_RAX, IARG_END);
    INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(After), IARG_SYSRET_VALUE, IARG_SYSRET_ERRNO, IARG_INST_PTR, IARG_CONST_CONTEXT, IARG_END);
}

static VOID Seen(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *) {}

int main(int argc, char **argv)
{
    begin(argc, argv);
    change = option("change");
    INS_AddInstrumentFunction(Instruction, 0);
    if (option("watch")) {
        PIN_AddSyscallEntryFunction(Seen, 0);
        PIN_AddSyscallExitFunction(Seen, 0);
    }
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Calls after system call instructions run once for each call that is complete, also when signals interrupt it, threads are made and others forked (guest sysrace). Calls before run again when a call is put back. */
#include "golden.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 64, THREADS = 64, KINDS = 512, READ2 = KINDS - 2 };
static struct { struct { ADDRINT sp, pc; int kind; } call[DEPTH]; int depth; } stack[THREADS];
static unsigned long after[KINDS], wrong;
static int first_pid;

static int kind_of(ADDRINT nr, ADDRINT a0, ADDRINT a2)
{
    if (nr == SYS_read && a2 != 1)
        return a2 == 2 ? READ2 : KINDS - 1;
    if (nr == SYS_close && a0 != 999)
        return KINDS - 1;
    return nr < KINDS ? (int)nr : KINDS - 1;
}

/* What is further down the stack than this call is over. */
static VOID Before(THREADID tid, ADDRINT pc, ADDRINT sp, ADDRINT nr, ADDRINT a0, ADDRINT a2)
{
    int n = stack[tid].depth;
    while (n && stack[tid].call[n - 1].sp <= sp)
        n--;
    if (n == DEPTH) {
        __sync_fetch_and_add(&wrong, 1);
        return;
    }
    stack[tid].call[n].sp = sp;
    stack[tid].call[n].pc = pc;
    stack[tid].call[n].kind = kind_of(nr, a0, a2);
    stack[tid].depth = n + 1;
}

static VOID After(THREADID tid, ADDRINT pc, ADDRINT sp)
{
    if (getpid() != first_pid)
        return;
    int n = stack[tid].depth;
    while (n && stack[tid].call[n - 1].sp < sp)
        n--;
    if (!n || stack[tid].call[n - 1].sp != sp || stack[tid].call[n - 1].pc != pc) {
        __sync_fetch_and_add(&wrong, 1);
        return;
    }
    __sync_fetch_and_add(&after[stack[tid].call[n - 1].kind], 1);
    stack[tid].depth = n - 1;
}

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsSyscall(ins))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Before), IARG_THREAD_ID, IARG_INST_PTR, IARG_REG_VALUE, REG_STACK_PTR, IARG_SYSCALL_NUMBER, IARG_SYSARG_VALUE, 0, IARG_SYSARG_VALUE, 2, IARG_END);
    INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(After), IARG_THREAD_ID, IARG_INST_PTR, IARG_REG_VALUE, REG_STACK_PTR, IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    if (getpid() == first_pid)
        std::printf("after: getppid %lu close(999) %lu read %lu dup2 %lu read(2) %lu wrong %lu\n", after[SYS_getppid], after[SYS_close], after[SYS_read], after[SYS_dup2], after[READ2], wrong);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    first_pid = getpid();
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

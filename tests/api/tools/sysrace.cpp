/* SPDX-License-Identifier: Apache-2.0
 * Counts entries and exits of some system calls, and checks that exits come in the reverse order of entries, per thread: a call that a signal interrupts is complete after those of the handler. Rule A9. */
#include "golden.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 64, THREADS = 64, KINDS = 512, READ2 = KINDS - 2 };
struct Call { ADDRINT nr, sp; };
static struct { Call call[DEPTH]; int depth; } stack[THREADS];
static unsigned long entries[KINDS], exits[KINDS], wrong;
static int first_pid;

/* Read by one pipe's reader: the loader reads too, but more than a byte. */
static int kind_of(const CONTEXT *ctxt, SYSCALL_STANDARD std)
{
    ADDRINT nr = PIN_GetSyscallNumber(ctxt, std);
    if (nr == SYS_read && PIN_GetSyscallArgument(ctxt, std, 2) != 1)
        return PIN_GetSyscallArgument(ctxt, std, 2) == 2 ? READ2 : KINDS - 1;
    if (nr == SYS_close && PIN_GetSyscallArgument(ctxt, std, 0) != 999)
        return KINDS - 1;
    return nr < KINDS ? (int)nr : KINDS - 1;
}

static bool comes_back(ADDRINT nr) { return nr != SYS_rt_sigreturn && nr != SYS_exit && nr != SYS_exit_group; }

static VOID Entry(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    ADDRINT nr = PIN_GetSyscallNumber(ctxt, std), sp = PIN_GetContextReg(ctxt, REG_STACK_PTR);
    if (getpid() != first_pid)
        return;
    entries[kind_of(ctxt, std)]++;
    if (!comes_back(nr))
        return;
    while (stack[tid].depth && stack[tid].call[stack[tid].depth - 1].nr == READ2) /* left by longjmp */
        stack[tid].depth--;
    if (stack[tid].depth == DEPTH) {
        wrong++;
        return;
    }
    stack[tid].call[stack[tid].depth].nr = (ADDRINT)kind_of(ctxt, std);
    stack[tid].call[stack[tid].depth++].sp = sp;
}

static VOID Exit(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD, VOID *)
{
    if (getpid() != first_pid)
        return;
    if (!stack[tid].depth) {
        wrong++;
        return;
    }
    Call c = stack[tid].call[--stack[tid].depth];
    exits[c.nr]++;
    wrong += c.sp != PIN_GetContextReg(ctxt, REG_STACK_PTR);
}

static void show(const char *name, int nr) { std::printf("%s %lu %lu ", name, entries[nr], exits[nr]); }

static VOID Fini(INT32, VOID *)
{
    if (getpid() != first_pid)
        return;
    show("getppid", SYS_getppid);
    show("close(999)", SYS_close);
    show("read", SYS_read);
    show("dup2", SYS_dup2);
    show("read(2)", READ2);
    std::printf("wrong %lu\n", wrong);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    first_pid = getpid();
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddSyscallExitFunction(Exit, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * Calls of the vsyscall page are system calls of a kind of their own, with the call's address at the entry and the one
 * after it at the exit; the jump, which is the fifth, is seen at the page. change=1: the results are changed. */
#include "golden.h"

#include <sys/syscall.h>

static ADDRINT seen, made, wrong, where, sp;

static VOID Entry(THREADID, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    ADDRINT number = PIN_GetSyscallNumber(ctxt, std);
    where = std == SYSCALL_STANDARD_IA32E_LINUX_VSYSCALL ? PIN_GetContextReg(ctxt, REG_INST_PTR) : 0;
    sp = PIN_GetContextReg(ctxt, REG_STACK_PTR);
    if (where) {
        wrong += number != VSYSCALL_NR || !PIN_GetSyscallArgument(ctxt, std, 0);
        wrong += ++seen == 5 && where != 0xffffffffff600400;
    } else if (number == SYS_getpriority && PIN_GetSyscallArgument(ctxt, std, 0) == 99) {
        made = PIN_GetSyscallArgument(ctxt, std, 1);
    }
}

static VOID Exit(THREADID, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    static const ADDRINT length[] = {0, 2, 3, 6, 4}; /* of the calls */
    if ((where != 0) != (std == SYSCALL_STANDARD_IA32E_LINUX_VSYSCALL))
        wrong++;
    if (!where)
        return;
    wrong += (INT64)PIN_GetSyscallReturn(ctxt, std) <= 0 || PIN_GetSyscallErrno(ctxt, std);
    if (seen < 5)
        wrong += PIN_GetContextReg(ctxt, REG_INST_PTR) != where + length[seen] || PIN_GetContextReg(ctxt, REG_STACK_PTR) != sp;
    if (option("change"))
        PIN_SetSyscallReturn(ctxt, std, 5);
}

static VOID Fini(INT32, VOID *) { std::printf("%s seen, %lu wrong\n", seen == made ? "all" : "not all", wrong); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddSyscallExitFunction(Exit, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

/* SPDX-License-Identifier: Apache-2.0
 * System calls as the callbacks see them, with settings that change them: number=OLD:NEW, arg=NUMBER:ARG:VALUE at the entry; ret=NUMBER:VALUE, errno=NUMBER:VALUE at the exit. quiet=1: prints the end only. Rules A8, A10. */
#include "golden.h"

#include <unistd.h>

static int first_pid;
static ADDRINT current;

static bool setting(const char *name, ADDRINT nr, ADDRINT *a, ADDRINT *b)
{
    unsigned long v[3] = {0, 0, 0};
    const char *text = option(name);
    if (!text || std::sscanf(text, "%lu:%lu:%lu", &v[0], &v[1], &v[2]) < 2 || v[0] != nr)
        return false;
    *a = v[1];
    *b = v[2];
    return true;
}

static const char *who() { return getpid() == first_pid ? "" : "child "; }

/* The write call's own arguments would change with the layout of the guest: the numbers below are chosen by it. */
static VOID Entry(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    ADDRINT nr = PIN_GetSyscallNumber(ctxt, std), a, b;
    current = nr;
    if (!option("quiet"))
        std::printf("%sentry %lu (0x%lx, 0x%lx, 0x%lx, 0x%lx, 0x%lx, 0x%lx) at 0x%lx std %d rcx 0x%lx r11 0x%lx thread %u\n", who(), nr, PIN_GetSyscallArgument(ctxt, std, 0),
                PIN_GetSyscallArgument(ctxt, std, 1), PIN_GetSyscallArgument(ctxt, std, 2), PIN_GetSyscallArgument(ctxt, std, 3), PIN_GetSyscallArgument(ctxt, std, 4),
                PIN_GetSyscallArgument(ctxt, std, 5), PIN_GetContextReg(ctxt, REG_INST_PTR), std, PIN_GetContextReg(ctxt, REG_RCX), PIN_GetContextReg(ctxt, REG_R11), tid);
    std::fflush(stdout);
    if (setting("number", nr, &a, &b))
        PIN_SetSyscallNumber(ctxt, std, a);
    if (setting("arg", nr, &a, &b))
        PIN_SetSyscallArgument(ctxt, std, (UINT32)a, b);
}

static VOID Exit(THREADID, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    ADDRINT ret = PIN_GetSyscallReturn(ctxt, std), a, b;
    bool is_id = current == 39 || (current != 1 && (INT64)ret > 1 && PIN_GetSyscallErrno(ctxt, std) == 0);
    char text[32] = "a number";
    if (!is_id)
        std::snprintf(text, sizeof text, "%ld", (long)ret);
    if (!option("quiet"))
        std::printf("%sexit: %s errno %lu at 0x%lx std %d rcx is pc %d\n", who(), text, PIN_GetSyscallErrno(ctxt, std), PIN_GetContextReg(ctxt, REG_INST_PTR), std,
                PIN_GetContextReg(ctxt, REG_RCX) == PIN_GetContextReg(ctxt, REG_INST_PTR));
    std::fflush(stdout);
    if (setting("ret", current, &a, &b))
        PIN_SetSyscallReturn(ctxt, std, a);
    if (setting("errno", current, &a, &b))
        PIN_SetSyscallErrno(ctxt, std, a);
}

static VOID Fini(INT32 status, VOID *) { std::printf("%sfini %d\n", who(), status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    first_pid = getpid();
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddSyscallExitFunction(Exit, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

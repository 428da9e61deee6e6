/* SPDX-License-Identifier: Apache-2.0
 * Callbacks of a process' life, in order: start, forks, programs executed, end. exit=app or process: ends it from a callback of the first thread. */
#include "golden.h"

#include <unistd.h>

static int own_pid, forks;
static std::string path;

#define SAY(...) (std::printf("[%s] ", option("who") ? option("who") : "plain"), std::printf(__VA_ARGS__), std::printf("\n"), std::fflush(stdout))

static VOID Start(VOID *) { SAY("start"); }
static VOID Prepare(VOID *) { SAY("prepare %d", !PIN_IsProcessExiting()); }
static VOID First(INT32, VOID *) { SAY("first fini"); }
static VOID Last(INT32, VOID *) { SAY("last fini"); }
static VOID Fini(INT32 status, VOID *) { SAY("fini %d, exiting %d, forks %d", status, PIN_IsProcessExiting(), forks); }

static VOID ThreadStart(THREADID, CONTEXT *, INT32, VOID *)
{
    if (option("exit") && !std::strcmp(option("exit"), "app"))
        PIN_ExitApplication(5);
    if (option("exit"))
        PIN_ExitProcess(6);
    SAY("thread start");
}

static VOID ThreadEnd(THREADID, const CONTEXT *, INT32 code, VOID *) { SAY("thread end %d", code); }

static VOID Before(THREADID, const CONTEXT *, VOID *)
{
    own_pid = getpid();
    SAY("before fork");
}

static VOID Parent(THREADID, const CONTEXT *ctxt, VOID *) { forks += PIN_GetContextReg(ctxt, REG_GAX) > 1 && getpid() == own_pid; }

static VOID Child(THREADID tid, const CONTEXT *ctxt, VOID *)
{
    SAY("in the child: pid %d, parent %d, thread %u, result %ld", getpid() != own_pid && PIN_GetPid() == getpid(), getppid() == own_pid, tid, (long)PIN_GetContextReg(ctxt, REG_GAX));
}

static BOOL Follow(CHILD_PROCESS child, VOID *)
{
    INT argc;
    const CHAR *const *argv;
    CHILD_PROCESS_GetCommandLine(child, &argc, &argv);
    if (CHILD_PROCESS_GetId(child) != (OS_PROCESS_ID)getpid() || argc != 2 || argv[2])
        SAY("wrong child");
    SAY("child %s %s", argv[0], argv[1]);
    const CHAR *command[] = {"pin", "-follow_execv", "-t", path.c_str(), "-set", "who=changed", "--"};
    if (!std::strcmp(argv[1], "other"))
        CHILD_PROCESS_SetPinCommandLine(child, 7, command);
    return std::strcmp(argv[1], "skipped") != 0;
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (int i = 1; i + 1 < argc; i++)
        if (!std::strcmp(argv[i], "-t"))
            path = argv[i + 1];
    PIN_CALLBACK last = PIN_AddFiniFunction(Last, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_CALLBACK first = PIN_AddFiniFunction(First, 0);
    CALLBACK_SetExecutionOrder(last, CALL_ORDER_LAST);
    CALLBACK_SetExecutionOrder(first, CALL_ORDER_FIRST + 5);
    if (CALLBACK_GetExecutionOrder(first) != CALL_ORDER_FIRST + 5 || CALLBACK_GetExecutionOrder(last) != CALL_ORDER_LAST)
        SAY("wrong order");
    PIN_AddApplicationStartFunction(Start, 0);
    PIN_AddPrepareForFiniFunction(Prepare, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddThreadFiniFunction(ThreadEnd, 0);
    PIN_AddForkFunction(FPOINT_BEFORE, Before, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_PARENT, Parent, 0);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, Child, 0);
    PIN_AddFollowChildProcessFunction(Follow, 0);
    PIN_StartProgram();
}

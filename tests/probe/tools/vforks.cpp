// SPDX-License-Identifier: Apache-2.0
// A child of vfork does not share the memory of a tool that asks for forks, or for the programs that children execute:
// counts forks on each side, and asks in the child, before it executes, whether what it writes is its own. -ends 1: a
// function for programs ends the child by exit.
#include "pin.H"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

static KNOB<std::string> out(KNOB_MODE_WRITEONCE, "pintool", "o", "vforks.out", "where to");
static KNOB<BOOL> ends(KNOB_MODE_WRITEONCE, "pintool", "ends", "0", "children end before they execute");
static FILE *file;
static volatile int owner; // the process that has written it last

static VOID say(const char *text) { fprintf(file, "%s\n", text), fflush(file); }
static VOID before(UINT32, VOID *) { say("before"); }
static VOID parent(UINT32 pid, VOID *) { say(pid && owner == getpid() ? "parent" : "parent: memory of the child"); }
static VOID child(UINT32, VOID *) { owner = getpid(), say("child"); }

static BOOL program(CHILD_PROCESS, VOID *)
{
    if (owner == getpid() && ends)
        exit(9);
    return TRUE;
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    file = fopen(out.Value().c_str(), "a");
    owner = getpid();
    PIN_AddForkFunctionProbed(FPOINT_BEFORE, before, nullptr);
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_PARENT, parent, nullptr);
    PIN_AddForkFunctionProbed(FPOINT_AFTER_IN_CHILD, child, nullptr);
    if (ends)
        PIN_AddFollowChildProcessFunction(program, nullptr);
    PIN_StartProgramProbed();
    return 0;
}

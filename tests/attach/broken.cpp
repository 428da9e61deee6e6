// SPDX-License-Identifier: Apache-2.0
// A tool that does not get as far as PIN_StartProgram, in the way that -how says. It has opened a file, set up a thread, mapped memory.
#include "pin.H"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

static KNOB<std::string> KnobHow(KNOB_MODE_WRITEONCE, "pintool", "how", "", "exit, _exit, ExitProcess, return, crash, abort, never, opens");

static volatile int *nowhere;

static VOID Forever(VOID *)
{
    for (;;)
        PIN_Sleep(1);
}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv) || !fopen("/dev/null", "r") || PIN_SpawnInternalThread(Forever, NULL, 0, NULL) == INVALID_THREADID)
        return 1;
    mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::string how = KnobHow.Value();
    if (how == "exit")
        exit(3);
    if (how == "_exit")
        _exit(4);
    if (how == "ExitProcess")
        PIN_ExitProcess(6);
    if (how == "crash")
        *nowhere = 1;
    if (how == "never")
        Forever(NULL);
    while (how == "opens")
        close(open("/dev/null", O_RDONLY));
    if (how == "abort")
        abort();
    return 5;
}

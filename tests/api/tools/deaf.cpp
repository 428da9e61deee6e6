/* SPDX-License-Identifier: Apache-2.0
 * A routine in which a signal comes for the program, and that then never returns: signals that end the program do so. */
#include "golden.h"

#include <signal.h>
#include <unistd.h>

static VOID Wait()
{
    raise(SIGUSR1);
    std::printf("waits\n");
    std::fflush(stdout);
    kill(getpid(), SIGTERM);
    for (;;)
        pause();
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_wait"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Wait), IARG_END);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}

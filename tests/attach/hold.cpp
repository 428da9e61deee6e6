// SPDX-License-Identifier: Apache-2.0
// A tool one of whose functions does not return as long as there is the file that -while names: an analysis routine, with -early an instrumentation function, with -last its detach or fini
// function. It says so in the file -o.
#include "pin.H"

#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

static KNOB<std::string> KnobWhile(KNOB_MODE_WRITEONCE, "pintool", "while", "", "file");
static KNOB<std::string> KnobOutput(KNOB_MODE_WRITEONCE, "pintool", "o", "", "file");
static KNOB<BOOL> KnobEarly(KNOB_MODE_WRITEONCE, "pintool", "early", "0", "in an instrumentation function");

static KNOB<std::string> KnobAfter(KNOB_MODE_WRITEONCE, "pintool", "after", "", "file: not before it is there");
static KNOB<BOOL> KnobOpens(KNOB_MODE_WRITEONCE, "pintool", "opens", "0", "a thread of the tool opens a file again and again");
static KNOB<BOOL> KnobCloses(KNOB_MODE_WRITEONCE, "pintool", "closes", "0", "and closes it");
static KNOB<std::string> KnobLast(KNOB_MODE_WRITEONCE, "pintool", "last", "", "detach or fini");

static VOID Say(const char *text)
{
    FILE *f = fopen(KnobOutput.Value().c_str(), "a");
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
}

static VOID Hold()
{
    static std::atomic<bool> held;
    if (held || (!KnobAfter.Value().empty() && access(KnobAfter.Value().c_str(), F_OK) != 0) || held.exchange(true))
        return;
    Say("held\n");
    while (access(KnobWhile.Value().c_str(), F_OK) == 0)
        PIN_Sleep(1);
    Say("free\n");
}

// Opens a file again and again, for which the engine raises the limit of descriptors.
static VOID Opens(VOID *)
{
    for (;;) {
        int fd = open("/dev/null", O_RDONLY);
        if (fd < 0)
            PIN_Yield();
        else if (KnobCloses)
            close(fd);
    }
}

static VOID Trace(TRACE trace, VOID *)
{
    if (KnobEarly)
        Hold();
    else
        TRACE_InsertCall(trace, IPOINT_BEFORE, AFUNPTR(Hold), IARG_END);
}

static VOID Leave(VOID *)
{
    if (KnobLast.Value() == "detach")
        Hold();
    Say("detached\n");
}

static VOID Last(INT32, VOID *)
{
    if (KnobLast.Value() == "fini")
        Hold();
    Say("ended\n");
}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv))
        return 1;
    if (KnobLast.Value().empty())
        TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddDetachFunction(Leave, 0);
    PIN_AddFiniFunction(Last, 0);
    if (KnobOpens && PIN_SpawnInternalThread(Opens, NULL, 0, NULL) == INVALID_THREADID)
        return 1;
    PIN_StartProgram();
}

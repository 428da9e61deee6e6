// SPDX-License-Identifier: Apache-2.0
// A tool as they are written for PinPlay: it counts instructions, and says what it runs under.
#include "pin.H"
#include "pinplay.H"
#include <iostream>

static PINPLAY_ENGINE pinplay_engine;
static KNOB<BOOL> KnobLog(KNOB_MODE_WRITEONCE, "pintool", "log", "0", "record"), KnobReplay(KNOB_MODE_WRITEONCE, "pintool", "replay", "0", "replay");
static UINT64 instructions;

static VOID Count(UINT32 n) { instructions += n; }
static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
        BBL_InsertCall(bbl, IPOINT_BEFORE, AFUNPTR(Count), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
}
static VOID Fini(INT32, VOID *)
{
    std::cerr << "logger " << pinplay_engine.IsLoggerActive() << " " << pinplay_engine.LoggerGetBaseName() << ", replayer " << pinplay_engine.IsReplayerActive() << " "
              << pinplay_engine.ReplayerGetBaseName() << ", instructions " << instructions << std::endl;
}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv))
        return 1;
    pinplay_engine.Activate(argc, argv, KnobLog, KnobReplay);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

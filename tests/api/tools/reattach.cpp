/* SPDX-License-Identifier: Apache-2.0
 * PIN_Attach: a tool that has left by PIN_Detach comes back, with its memory and its own thread as they were. While it
 * is away nothing of it runs but that thread; what it registers in a session is for that session only. */
#include "golden.h"

#define SESSIONS 3

static ADDRINT session = 1;
static volatile UINT64 seen, starts, attaches, detaches, images;
static volatile bool left, ended;

static UINT64 Beats() { return *(volatile UINT64 *)at("at_beats"); }

static VOID Count() { seen++; }
static int Ends() { return ended; }

/* Of another session than the present one: never. */
static VOID Check(VOID *v)
{
    if (ADDRINT(v) != session)
        std::printf("a function of session %lu in session %lu\n", ADDRINT(v), session);
}

static VOID Instruction(INS ins, VOID *v)
{
    Check(v);
    if (is_at(ins, "at_beat"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_END);
}

static VOID Image(IMG img, VOID *v)
{
    Check(v);
    images++;
    RTN ends = RTN_FindByName(img, "ends");
    if (RTN_Valid(ends))
        RTN_Replace(ends, AFUNPTR(Ends));
}

static VOID ThreadStart(THREADID, CONTEXT *ctxt, INT32, VOID *v)
{
    Check(v);
    if (PIN_GetContextReg(ctxt, REG_STACK_PTR))
        starts++;
}

static VOID ThreadAttach(THREADID, CONTEXT *, VOID *v) { Check(v), attaches++; }

static VOID ThreadDetach(THREADID, const CONTEXT *ctxt, VOID *v)
{
    Check(v);
    if (PIN_GetContextReg(ctxt, REG_STACK_PTR))
        detaches++;
}

static VOID Detach(VOID *v) { Check(v), left = true; }

static VOID Fini(INT32, VOID *v)
{
    Check(v);
    std::printf("fini in session %lu\n", session);
}

static VOID Register(VOID *v)
{
    INS_AddInstrumentFunction(Instruction, v);
    IMG_AddInstrumentFunction(Image, v);
    PIN_AddThreadStartFunction(ThreadStart, v);
    PIN_AddThreadAttachFunction(ThreadAttach, v);
    PIN_AddThreadDetachFunction(ThreadDetach, v);
    PIN_AddDetachFunction(Detach, v);
    PIN_AddFiniFunction(Fini, v);
}

static VOID Come(VOID *v)
{
    std::printf("%s\n", PIN_IsAttaching() ? "attaching" : "not attaching");
    session = ADDRINT(v);
    Register(v);
}

static VOID WaitForBeats(UINT64 n)
{
    for (UINT64 from = Beats(); Beats() < from + n;)
        PIN_Sleep(1);
}

static VOID Leave()
{
    while (!seen || *(volatile UINT64 *)at("at_waits") == 0)
        PIN_Sleep(1);
    std::printf("session %lu: %s, %s thread starts, %lu attached\n", session, images > 2 ? "images" : "no images",
                starts >= 2 ? "all" : "too few", attaches);
    if (PIN_Attach(Come, 0) != ATTACH_FAILED_DETACH)
        std::printf("attached twice\n");
    PIN_Detach();
    while (!left)
        PIN_Sleep(1);
    UINT64 was = seen;
    WaitForBeats(1000);
    std::printf("left: %lu threads, %s\n", detaches, seen == was ? "nothing is seen" : "calls go on");
}

static VOID Own(VOID *)
{
    for (ADDRINT next = 2; next <= SESSIONS; next++) {
        Leave();
        left = false;
        seen = starts = attaches = detaches = images = 0;
        while (PIN_Attach(Come, (VOID *)next) == ATTACH_FAILED_DETACH)
            PIN_Sleep(1);
    }
    while (!seen)
        PIN_Sleep(1);
    ended = true;
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    Register((VOID *)1);
    PIN_SpawnInternalThread(Own, 0, 0, 0);
    PIN_StartProgram();
}

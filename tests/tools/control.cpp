/* SPDX-License-Identifier: Apache-2.0
 * The controller and other parts of InstLib: prints each event with the thread, the address and how many instructions the thread has executed, by a count of its own and by ICOUNT. */
#include "pin.H"
#include "instlib.H"
#include "control_manager.H"

#include <cstdio>

static CONTROLLER::CONTROL_MANAGER control;
static INSTLIB::ICOUNT icount;
static INSTLIB::FILTER filter;
static INSTLIB::SKIPPER skipper;
static INSTLIB::FOLLOW_CHILD follow;
static KNOB<BOOL> KnobContext(KNOB_MODE_WRITEONCE, "pintool", "context", "0", "look at the context");
static KNOB<BOOL> KnobFollow(KNOB_MODE_WRITEONCE, "pintool", "follow", "0", "children under this tool, with the same options");
static KNOB<BOOL> KnobLate(KNOB_MODE_WRITEONCE, "pintool", "late", "0", "late handlers, too");
static KNOB<BOOL> KnobCrowd(KNOB_MODE_WRITEONCE, "pintool", "crowd", "0", "an event waits, with the controller's lock, for other threads to come to its place");
static UINT64 executed[PIN_MAX_THREADS];
static UINT64 filtered;

static VOID Print(const char *when, CONTROLLER::EVENT_TYPE event, CONTEXT *context, VOID *ip, THREADID tid, BOOL bcast)
{
    char seen[40] = "";
    if (context)
        std::snprintf(seen, sizeof seen, " context %lx", PIN_GetContextReg(context, REG_INST_PTR));
    /* in one call: events of several threads may come together, and each has its own line */
    std::fprintf(stderr, "%u %s%s %lx %lu%s%s\n", tid, when, control.EventToString(event).c_str(), VoidStar2Addrint(ip), executed[tid], bcast ? " bcast" : "", seen);
}

static VOID Handler(CONTROLLER::EVENT_TYPE event, VOID *val, CONTEXT *context, VOID *ip, THREADID tid, BOOL bcast) { Print(static_cast<const char *>(val), event, context, ip, tid, bcast); }
static VOID Late(CONTROLLER::EVENT_TYPE event, VOID *, CONTEXT *context, VOID *ip, THREADID tid, BOOL bcast) { Print("late ", event, context, ip, tid, bcast); }

static THREADID Crowd(THREADID tid)
{
    static BOOL waited;
    if (!waited)
        PIN_Sleep(200);
    waited = true;
    return tid;
}

static VOID Count(THREADID tid) { executed[tid]++; }
static VOID Instruction(INS ins, VOID *) { INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Count), IARG_THREAD_ID, IARG_END); }

static VOID CountFiltered(UINT32 n) { __atomic_add_fetch(&filtered, n, __ATOMIC_RELAXED); }
static VOID Trace(TRACE trace, VOID *)
{
    if (filter.SelectTrace(trace))
        for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))
            BBL_InsertCall(bbl, IPOINT_BEFORE, AFUNPTR(CountFiltered), IARG_UINT32, BBL_NumIns(bbl), IARG_END);
}

static VOID Fini(INT32, VOID *) { std::fprintf(stderr, "executed %lu, icount %lu, filtered %lu\n", executed[0], icount.Count(0), filtered); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (control.AddEvent("mine") != CONTROLLER::EVENT_USER_0 || PIN_Init(argc, argv))
        return 1;
    control.RegisterHandler(Handler, const_cast<char *>(""), KnobContext, KnobLate ? Late : NULL);
    if (KnobCrowd)
        control.SetThreadTransCallback(Crowd);
    control.Activate();
    icount.Activate();
    filter.Activate();
    skipper.CheckKnobs(0);
    if (KnobFollow)
        follow.SetPrefix(argv);
    if (KnobFollow)
        follow.Activate();
    INS_AddInstrumentFunction(Instruction, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

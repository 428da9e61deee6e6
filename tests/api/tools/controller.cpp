/* SPDX-License-Identifier: Apache-2.0
 * The controller: prints each event with the thread, the address and how many instructions the thread has executed. A setting -NAME=VALUE is the option NAME. */
#include "checks.h"

#include "control_manager.H"
#include "settings.h"

using namespace CONTROLLER;

static CONTROL_MANAGER control;
static EVENT_TYPE mine;
static UINT64 executed;

static VOID Print(const char *when, EVENT_TYPE event, CONTEXT *context, VOID *ip, THREADID tid, BOOL bcast)
{
    std::printf("%u %s%s 0x%lx %lu%s%s", tid, when, control.EventToString(event).c_str(), VoidStar2Addrint(ip), executed, bcast ? " bcast" : "",
        context && PIN_GetContextReg(context, REG_INST_PTR) == VoidStar2Addrint(ip) ? " context" : "");
    const IREGION *r = control.CurrentIregion(tid);
    if (r)
        std::printf(" of region %u (%s, %lu to %lu, %s)", r->GetRegionId(), r->GetComment().c_str(), r->GetRegionStartICount(), r->GetRegionEndICount(),
            REGION_UTILS::WeightToString(r->GetWeightTimesHundredThousand()).c_str());
    std::printf("\n");
}
static VOID Handler(EVENT_TYPE event, VOID *, CONTEXT *context, VOID *ip, THREADID tid, BOOL bcast) { Print("", event, context, ip, tid, bcast); }
static VOID Late(EVENT_TYPE event, VOID *, CONTEXT *context, VOID *ip, THREADID tid, BOOL bcast) { Print("late ", event, context, ip, tid, bcast); }

static VOID One() { executed++; }
static VOID FireMine(CONTEXT *context, VOID *ip, THREADID tid)
{
    control.Fire(mine, context, ip, tid, FALSE);
    control.LateFire(mine, context, ip, tid, TRUE);
}

static std::string path_of(const char *name) { return std::string(name) + decstr(PIN_GetPid()); }

/* A request through the pipe is one request. */
static VOID Listen()
{
    static INTERACTIVE_LISTENER listener(path_of("pipe"));
    listener.Active();
    FILE *f = std::fopen(path_of("pipe").c_str(), "w");
    std::fputs("now\n", f);
    std::fclose(f);
    while (!listener.GetClearSignal())
        PIN_Sleep(1);
    EQUAL(listener.GetClearSignal(), 1u);
    EQUAL(listener.CheckClearSignal(), 1u);
    EQUAL(listener.CheckClearSignal(), 0u);
    unlink(path_of("pipe").c_str());
    Checked("listener", 3);
}

static VOID Instruction(INS ins, VOID *)
{
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(One), IARG_END);
    if (is_at(ins, "at_magic") && option("fire"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(FireMine), IARG_CONTEXT, IARG_INST_PTR, IARG_THREAD_ID, IARG_END);
    if (is_at(ins, "at_magic") && option("listen"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Listen), IARG_END);
}

static VOID WriteRegions()
{
    std::ofstream out(path_of("regions").c_str());
    out << "# comment,thread,region,start,end,weight\nfirst,0,7,10,14,0.25\nsecond,0,8,13,20,0.5,more\n\nthird,0,9,30,35,0.12345\n";
    out.close();
    KNOB_BASE::FindKnob("regions:in")->AddValue(path_of("regions"));
    KNOB_BASE::FindKnob("regions:out")->AddValue(path_of("left"));
}
static VOID ShowRegions()
{
    CONTROL_REGION_INFO info = control.GetRegionInfoCallback()(0, control.GetRegionInfoParam());
    EQUAL(info.valid && info.region_id == control.CurrentIregion()->GetRegionId(), true);
    std::ifstream in(path_of("left").c_str());
    for (std::string line; std::getline(in, line);)
        std::printf("left out: %s\n", line.c_str());
    unlink(path_of("left").c_str());
    unlink(path_of("regions").c_str());
}

/* The second chain is not wanted any more after its first event. */
static BOOL Triggered(THREADID, EVENT_TYPE event, VOID *event_handler, VOID *param)
{
    EQUAL(param, static_cast<VOID *>(&executed));
    std::printf("%s of %s?\n", control.EventToString(event).c_str(), static_cast<const char *>(event_handler));
    return event == EVENT_START || *static_cast<const char *>(event_handler) == 'a';
}
static CHAIN_EVENT_VECTOR external;
static VOID AddExternal()
{
    CHAIN_EVENT empty;
    TRUE_(empty.chain_str.empty() && !empty.event_handler);
    external.push_back(CHAIN_EVENT("start:icount:3,stop:icount:2", const_cast<char *>("a")));
    external.push_back(CHAIN_EVENT("start:icount:10,stop:icount:2,start:icount:1", const_cast<char *>("b")));
    control.AddExternalRegionChains(&external, Triggered, &executed);
}

static THREADID Translate(THREADID tid) { return tid + 6; }
static CONTROL_REGION_INFO NoRegion(THREADID, VOID *) { return CONTROL_REGION_INFO(); }

static VOID CheckManager()
{
    TRUE_(control.HasStartEvent());
    FALSE_(control.HasSkipInt3());
    FALSE_(control.HasLateHandler());
    EQUAL(control.GetInsOrder(), UINT32(CALL_ORDER_FIRST));
    EQUAL(control.GetLateInsOrder(), UINT32(CALL_ORDER_LAST));
    EQUAL(control.EventStringToType("mine"), mine);
    EQUAL(control.EventStringToType("nothing"), EVENT_INVALID);
    EQUAL(control.GetNextControlChain(0, 0)->Text(), "stop:icount:40");
    TRUE_(!control.GetNextControlChain(1, 0));
    FALSE_(control.IregionsActive());
    FALSE_(control.UniformActive());
    FALSE_(control.UniformIsDone());
    EQUAL(control.GetUniformTid(), INVALID_THREADID);
    FALSE_(control.StartTIDActive());
    FALSE_(control.GetNonStopOnRep());
    FALSE_(control.GetSscCodeExclusion());
    TRUE_(!control.GetThreadTransCallback());
    control.SetRegionInfoCallback(NoRegion, &mine);
    TRUE_(control.GetRegionInfoCallback() == NoRegion && control.GetRegionInfoParam() == &mine);
    control.AddDefaultStart(); /* asked for: it is there beside the other */
    EQUAL(control.GetNextControlChain(1, 0)->Text(), "start:icount:0:tid0:bcast");
    CONTROL_ARGS args("p", "family", 7);
    EQUAL(args.get_prefix() + args.get_knob_family() + decstr(args.get_instrument_order()), "pfamily7");
    INIT_ALARM alarm;
    alarm.Disable();
    alarm.Activate(&control); /* to no effect */
    TRUE_(!control.GetNextControlChain(2, 0));
}

static VOID CheckEvents()
{
    CONTROLLER_EVENTS events;
    EQUAL(events.AddEvent("one"), EVENT_USER_0);
    EQUAL(events.AddEvent("two"), EVENT_USER_1);
    EQUAL(events.AddEvent("one"), EVENT_USER_0);
    EQUAL(events.IDToString(EVENT_USER_1), "two");
    EQUAL(events.EventStringToType("prolog-stop"), EVENT_PROLOG_STOP);
}

static VOID CheckRegions()
{
    IREGION r;
    r.SetICountEnd(50);
    r.SetEpilogLength(3);
    EQUAL(r.GetRegionLength() + r.GetEpilogLength() + r.GetWarmupLength() + r.GetPrologLength(), 53u);
    IEVENT none;
    FALSE_(IEVENT::EventLessThan(none, none));
    EQUAL(std::string(IEVENT::EventToString(EVENT_START)) + IEVENT::EventToString(EVENT_USER_0), "region-startinvalid");
    std::string dec = " 123 ", hex = "0x1f", real = "0.5";
    EQUAL(REGION_UTILS::StringToUINT32(dec, "number"), 123u);
    EQUAL(REGION_UTILS::StringToUINT64(dec, "number", 16), 0x123u);
    EQUAL(REGION_UTILS::StringToADDRINT(hex, "address"), 0x1fu);
    EQUAL(REGION_UTILS::StringToDouble(real, "weight"), 0.5);
    EQUAL(REGION_UTILS::WeightToString(250), "0.00250");
    CONTROL_ARGS args("second_", "family");
    CONTROL_IREGIONS regions(args, &control);
    CHAIN_EVENT_VECTOR *chains = NULL;
    EQUAL(regions.Activate(FALSE, &chains), 0);
    FALSE_(regions.IsActive());
    regions.SetTriggeredRegion(3, &r);
    EQUAL(regions.LastTriggeredRegion(3), &r);
    TRUE_(CONTROL_IREGIONS::RegionInfoCallback(3, &regions).end_icount == 50 && !CONTROL_IREGIONS::RegionInfoCallback(2, &regions).valid);
}

static VOID Fini(INT32, VOID *)
{
    if (option("regions"))
        ShowRegions();
    if (control.UniformActive())
        std::printf("uniform of thread %u%s\n", control.GetUniformTid(), control.UniformIsDone() ? ", done" : "");
    if (checks_wrong)
        Checked("controller", 0);
    std::printf("executed %lu\n", executed);
    std::fflush(stdout);
    dump_counts();
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    mine = control.AddEvent("mine");
    begin(argc, argv);
    set_knobs();
    if (option("regions"))
        WriteRegions();
    if (option("exclude"))
        control.SetSscCodeExclusion(TRUE);
    if (option("translate"))
        control.SetThreadTransCallback(Translate);
    control.RegisterHandler(Handler, 0, option("fire") != 0, option("fire") ? Late : NULL);
    control.Activate();
    if (option("external"))
        AddExternal();
    if (option("check")) {
        CheckManager();
        CheckEvents();
        CheckRegions();
        Checked("check", 38);
    }
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

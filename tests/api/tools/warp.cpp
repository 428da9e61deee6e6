/* SPDX-License-Identifier: Apache-2.0
 * Small parts of InstLib: the time stamp counter (option -rdtsc_warp), int3 instructions left out (-skip_int3), REP counted once, children. The guest stores what its two rdtsc read at at_stamps. */
#include "checks.h"

#include "instlib.H"
#include "settings.h"
#include "time_warp.H"

static INSTLIB::TIME_WARP warp;
static INSTLIB::SKIPPER skipper;
static INSTLIB::SKIP_INT3 other("other_", "pintool");
static INSTLIB::ICOUNT icount;
static INSTLIB::FOLLOW_CHILD follow;

static VOID Fini(INT32, VOID *)
{
    UINT32 stamps[2] = {0, 0};
    PIN_SafeCopy(stamps, Addrint2VoidStar(at("at_stamps")), at("at_stamps") ? sizeof stamps : 0);
    if (warp.RDTSC_modified())
        std::printf("stamps %u %u\n", stamps[0], stamps[1]);
    else
        TRUE_(!at("at_stamps") || stamps[0] > 1000000 || stamps[1] > 1000000); /* the true ones */
    std::printf("instructions %lu, without repetitions %lu, int3 %s\n", icount.Count(), icount.CountWithoutRep(), skipper.INT3_skipped() ? "left out" : "executed");
    Checked("warp", 3);
    std::fflush(stdout);
    dump_counts();
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    set_knobs();
    EQUAL(warp.CheckKnobs(0), INT32(warp.RDTSC_modified()));
    EQUAL(skipper.CheckKnobs(0), INT32(skipper.INT3_skipped()));
    EQUAL(other.CheckKnobs(0), INT32(other.IsActive()));
    icount.Activate(INSTLIB::ICOUNT::ModeBoth);
    follow.SetPrefix(argv);
    follow.Activate();
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

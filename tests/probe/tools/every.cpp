/* SPDX-License-Identifier: Apache-2.0
 * Puts a probe at every function of the images whose name contains -image, or at those of them with -first <= number <
 * -last, and at the end says how many it has put, what was refused and how often the probes were met. -how light: a
 * counter; heavy: a routine that uses thread-local storage and a lock; replace: a replacement that calls the function
 * itself; after: a call after it. */
#include "pin.H"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

static KNOB<std::string> KnobImage(KNOB_MODE_WRITEONCE, "pintool", "image", "", "images with this in their names");
static KNOB<std::string> KnobHow(KNOB_MODE_WRITEONCE, "pintool", "how", "light", "light, heavy, replace, after");
static KNOB<std::string> KnobOut(KNOB_MODE_WRITEONCE, "pintool", "o", "", "where the result goes");
static KNOB<UINT32> KnobFirst(KNOB_MODE_WRITEONCE, "pintool", "first", "0", "number of the first function");
static KNOB<UINT32> KnobLast(KNOB_MODE_WRITEONCE, "pintool", "last", "4294967295", "number after the last function");
static KNOB<std::string> KnobOnly(KNOB_MODE_WRITEONCE, "pintool", "only", "", "names of functions, with commas; none: all");
static KNOB<BOOL> KnobAppend(KNOB_MODE_WRITEONCE, "pintool", "append", "0", "add to the result, for several processes");
static KNOB<BOOL> KnobNames(KNOB_MODE_WRITEONCE, "pintool", "names", "0", "say what was placed and refused");

static KNOB<BOOL> KnobMove(KNOB_MODE_WRITEONCE, "pintool", "move", "0", "whole functions may be moved");

static UINT64 hits;
static UINT32 number, placed, refused, unlong;
static std::string text;
static std::mutex lock;
static thread_local UINT64 mine;

static VOID Count() { hits++; }
static VOID CountHeavy()
{
    mine++;
    std::lock_guard<std::mutex> guard(lock);
    hits += mine > 0;
}
static ADDRINT Instead(AFUNPTR original, ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d, ADDRINT e, ADDRINT f)
{
    __atomic_add_fetch(&hits, 1, __ATOMIC_RELAXED);
    return ((ADDRINT(*)(ADDRINT, ADDRINT, ADDRINT, ADDRINT, ADDRINT, ADDRINT))original)(a, b, c, d, e, f);
}

static BOOL Put(RTN rtn)
{
    std::string how = KnobHow;
    PROBE_MODE mode = KnobMove ? PROBE_MODE_ALLOW_RELOCATION : PROBE_MODE_DEFAULT;
    PROTO proto = PROTO_Allocate(PIN_PARG(ADDRINT), CALLINGSTD_DEFAULT, "any", PIN_PARG(ADDRINT), PIN_PARG(ADDRINT),
                                 PIN_PARG(ADDRINT), PIN_PARG(ADDRINT), PIN_PARG(ADDRINT), PIN_PARG(ADDRINT), PIN_PARG_END());
    BOOL done;
    if (how == "light")
        done = RTN_InsertCallProbedEx(rtn, IPOINT_BEFORE, mode, AFUNPTR(Count), IARG_END);
    else if (how == "heavy")
        done = RTN_InsertCallProbedEx(rtn, IPOINT_BEFORE, mode, AFUNPTR(CountHeavy), IARG_END);
    else if (how == "after")
        done = RTN_InsertCallProbedEx(rtn, IPOINT_AFTER, mode, AFUNPTR(CountHeavy), IARG_PROTOTYPE, proto, IARG_END);
    else
        done = RTN_ReplaceSignatureProbedEx(rtn, mode, AFUNPTR(Instead), IARG_PROTOTYPE, proto, IARG_ORIG_FUNCPTR,
                                          IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1,
                                          IARG_FUNCARG_ENTRYPOINT_VALUE, 2, IARG_FUNCARG_ENTRYPOINT_VALUE, 3,
                                          IARG_FUNCARG_ENTRYPOINT_VALUE, 4, IARG_FUNCARG_ENTRYPOINT_VALUE, 5, IARG_END) != 0;
    PROTO_Free(proto);
    return done;
}

static BOOL IsWanted(const std::string &name)
{
    return KnobOnly.Value().empty() || ("," + KnobOnly.Value() + ",").find("," + name + ",") != std::string::npos;
}

/* Can the replacement call it? The original of a function that returns twice can only be called by the program
 * (docs/design/probes.md), and what takes floating-point values gets none from a replacement with six integers. */
static BOOL IsCallable(const std::string &name)
{
    static const std::set<std::string> twice = {"setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "vfork", "__vfork"};
    return !twice.count(name) && name.find("printf") == std::string::npos && name != "__mpn_extract_double";
}

/* Code that is called by jumps has no return address on the stack where a function has it. */
static BOOL IsCalled(RTN rtn)
{
    if (KnobHow.Value() == "replace" && !IsCallable(RTN_Name(rtn)))
        return FALSE;
    return KnobHow.Value() == "light" || KnobHow.Value() == "heavy" || SEC_Name(RTN_Sec(rtn)) == ".text";
}

static VOID Image(IMG img, VOID *)
{
    if (KnobImage.Value().empty() || IMG_Name(img).find(KnobImage.Value()) == std::string::npos)
        return;
    std::set<ADDRINT> seen;
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); rtn = RTN_Next(rtn)) {
            if (!seen.insert(RTN_Address(rtn)).second || !RTN_Size(rtn) || !IsWanted(RTN_Name(rtn)) || !IsCalled(rtn))
                continue;
            UINT32 n = number++;
            if (n < KnobFirst.Value() || n >= KnobLast.Value())
                continue;
            BOOL is_long = RTN_Size(rtn) > 5;
            if (Put(rtn)) {
                placed++;
                if (KnobNames)
                    text += "placed " + RTN_Name(rtn) + "\n";
                continue;
            }
            (is_long ? refused : unlong)++;
            if (KnobNames)
                text += RTN_Name(rtn) + " " + decstr(RTN_Size(rtn)) + "\n";
        }
}

static VOID Fini(INT32, VOID *)
{
    FILE *f = fopen(KnobOut.Value().c_str(), KnobAppend ? "a" : "w");
    if (!f)
        return;
    fprintf(f, "functions %u placed %u refused %u short %u hits %lu\n%s", number, placed, refused, unlong, (unsigned long)hits,
            text.c_str());
    fclose(f);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    IMG_AddInstrumentFunction(Image, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgramProbed();
}

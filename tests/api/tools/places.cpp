/* SPDX-License-Identifier: Apache-2.0
 * A routine from all sides. INS_Rtn is valid for instructions of open routines and of traces. EXPORT_SYMBOLS hides no
 * local symbol on Linux, and NO_SYMBOLS takes none away. When the application-start function runs, the images are
 * there. Calls of one order at one place run in the order in which they were inserted, by whatever function. From
 * callbacks of traces and instructions a routine's calls and replacements are refused (settings from, what). An image
 * has its first section, which is empty; RTN_NumIns counts a routine that is not open; RTN_CreateAt gives a routine that
 * is there a new name, and its symbol is none then, which is not dynamic. */
#include "golden.h"
#include <set>

static VOID Say(const char *text) { std::printf("%s\n", text); }
static VOID Nothing() {}
#define SAY(text) AFUNPTR(Say), IARG_PTR, text, IARG_END

static bool chosen(const char *setting, const char *value) { return option(setting) && !std::strcmp(option(setting), value); }

static std::set<std::string> found; /* told at the end, because traces come while calls run */

static VOID NoteRoutine(INS ins, const char *when)
{
    RTN rtn = INS_Rtn(ins);
    char text[100];
    std::snprintf(text, sizeof text, "0x%lx in routine %s, %s", INS_Address(ins), RTN_Valid(rtn) ? RTN_Name(rtn).c_str() : "?", when);
    found.insert(text);
}

static bool is_f(RTN rtn) { return RTN_Valid(rtn) && RTN_Name(rtn) == "f"; }

static VOID Image(IMG img, VOID *)
{
    RTN f = RTN_FindByName(img, "f");
    if (!RTN_Valid(f) || option("from"))
        return;
    std::printf("the first section has %lu bytes and the name \"%s\"\n", SEC_Size(IMG_SecHead(img)), SEC_Name(IMG_SecHead(img)).c_str());
    std::printf("f has %u instructions\n", RTN_NumIns(f));
    RTN g = RTN_CreateAt(RTN_Address(RTN_FindByName(img, "g")), "new");
    std::printf("g is %s now, %s\n", RTN_Name(g).c_str(), SYM_Valid(RTN_Sym(g)) || SYM_Dynamic(RTN_Sym(g)) ? "with a symbol" : "without a symbol");
    RTN_Open(f);
    INS_InsertCall(RTN_InsHeadOnly(f), IPOINT_BEFORE, SAY("first: an instruction of an open routine"));
    RTN_InsertCall(f, IPOINT_BEFORE, SAY("second: a routine"));
    INS_InsertCall(RTN_InsHead(f), IPOINT_BEFORE, SAY("third: an instruction of an open routine"));
    for (INS ins = RTN_InsHead(f); INS_Valid(ins); ins = INS_Next(ins))
        NoteRoutine(ins, "open");
    RTN_Close(f);
}

static VOID Routine(RTN rtn, VOID *)
{
    if (is_f(rtn) && !option("from"))
        RTN_InsertCall(rtn, IPOINT_BEFORE, SAY("fourth: a routine, by the routine's function"));
}

static VOID Refused(RTN rtn)
{
    if (chosen("what", "call"))
        RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Nothing), IARG_END);
    if (chosen("what", "replace"))
        RTN_Replace(rtn, AFUNPTR(Nothing));
    if (chosen("what", "signature"))
        RTN_ReplaceSignature(rtn, AFUNPTR(Nothing), IARG_PROTOTYPE, PROTO_Allocate(PIN_PARG(void), CALLINGSTD_DEFAULT, "f", PIN_PARG_END()), IARG_END);
}

static VOID Trace(TRACE trace, VOID *)
{
    RTN rtn = TRACE_Rtn(trace);
    if (!is_f(rtn) || TRACE_Address(trace) != RTN_Address(rtn))
        return;
    if (chosen("from", "trace"))
        Refused(rtn);
    TRACE_InsertCall(trace, IPOINT_BEFORE, SAY("fifth: a trace"));
    BBL_InsertCall(TRACE_BblHead(trace), IPOINT_BEFORE, SAY("sixth: a block, by the trace's function"));
    INS_InsertCall(BBL_InsHead(TRACE_BblHead(trace)), IPOINT_BEFORE, SAY("seventh: an instruction of a trace"));
}

static VOID Instruction(INS ins, VOID *)
{
    RTN rtn = INS_Rtn(ins);
    if (!is_f(rtn))
        return;
    NoteRoutine(ins, "traced");
    if (chosen("from", "ins"))
        Refused(rtn);
    if (INS_Address(ins) == RTN_Address(rtn))
        INS_InsertCall(ins, IPOINT_BEFORE, SAY("eighth: an instruction, by its function"));
}

static VOID Start(VOID *)
{
    IMG img = APP_ImgHead();
    if (IMG_Valid(img) && !option("from"))
        std::printf("the program starts: image places, f is %s\n", RTN_Valid(RTN_FindByName(img, "f")) ? "known" : "not known");
}

static VOID Fini(INT32, VOID *)
{
    for (const std::string &text : found)
        Say(text.c_str());
}

int main(int argc, char **argv)
{
    PIN_InitSymbolsAlt(EXPORT_SYMBOLS);
    PIN_InitSymbolsAlt(NO_SYMBOLS);
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, 0);
    RTN_AddInstrumentFunction(Routine, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddApplicationStartFunction(Start, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

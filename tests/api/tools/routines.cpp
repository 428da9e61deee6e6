/* SPDX-License-Identifier: Apache-2.0
 * Routines and symbols of guests/ifunc.c: ifuncs, names, a routine made by the tool. */
#include "checks.h"

#include <set>

static SYM Find(IMG img, const char *name, bool ifunc)
{
    for (SYM sym = IMG_RegsymHead(img); SYM_Valid(sym); sym = SYM_Next(sym))
        if (SYM_Name(sym) == name && bool(SYM_IFunc(sym)) == ifunc)
            return sym;
    return SYM_Invalid();
}

/* nm: `pick` is an ifunc (i) at the address of choose. */
static void Ifuncs(IMG img)
{
    SYM pick = Find(img, "pick", true), fast = Find(img, "pick_fast", false);
    TRUE_(SYM_Valid(pick) && SYM_Valid(fast));
    TRUE_(SYM_IFuncResolver(pick) && !SYM_IFuncImplementation(pick) && !SYM_IFuncResolver(fast) && !SYM_OriginatedFromIFunc(fast) && !SYM_GeneratedByPin(fast));
    RTN choose = RTN_FindByAddress(SYM_Address(pick)), slow = RTN_FindByName(img, "pick_slow");
    TRUE_(RTN_Valid(choose) && RTN_Address(choose) == SYM_Address(Find(img, "choose", false)));
    FALSE_(RTN_Valid(RTN_IFuncImplementation(slow)) || RTN_Valid(RTN_IFuncResolver(slow)));
    EQUAL(SYM_Value(fast) + IMG_LoadOffset(img), SYM_Address(fast));
    FALSE_(SYM_Dynamic(fast)); /* a program's own symbols are not exported */
}

static void Indexes(IMG img)
{
    std::set<UINT32> seen;
    unsigned n = 0;
    for (SYM sym = IMG_RegsymHead(img); SYM_Valid(sym); sym = SYM_Next(sym))
        if (!SYM_Dynamic(sym) && !SYM_GeneratedByPin(sym))
            seen.insert(SYM_Index(sym)), n++;
    EQUAL(seen.size(), n); /* one symbol for each number in the table */
    TRUE_(n > 5);
}

static void Names(IMG img)
{
    RTN rtn = RTN_FindByName(img, "_ZN5space4nameEPKc");
    TRUE_(RTN_Valid(rtn));
    EQUAL(PIN_UndecorateSymbolName(RTN_Name(rtn), UNDECORATION_COMPLETE), std::string("space::name(char const*)"));
    EQUAL(PIN_UndecorateSymbolName(RTN_Name(rtn), UNDECORATION_NAME_ONLY), std::string("space::name"));
    EQUAL(PIN_UndecorateSymbolName("main", UNDECORATION_COMPLETE), std::string("main"));
    RTN main_rtn = RTN_FindByName(img, "main");
    TRUE_(RTN_Id(main_rtn) != RTN_Id(rtn));
    EQUAL(SYM_Name(RTN_Sym(main_rtn)), std::string("main"));
    EQUAL(RTN_FindNameByAddress(RTN_Address(main_rtn) + 1), std::string("main"));
    EQUAL(RTN_FindNameByAddress(16), std::string(""));
    RTN_Open(main_rtn);
    INS head = RTN_InsHeadOnly(main_rtn);
    EQUAL(INS_Address(head), RTN_Address(main_rtn));
    TRUE_(INS_Address(RTN_InsHead(main_rtn)) == RTN_Address(main_rtn) && RTN_NumIns(main_rtn) > 5);
    RTN_Close(main_rtn);
}

static void Made(IMG img)
{
    RTN slow = RTN_FindByName(img, "pick_slow");
    ADDRINT inside = RTN_Address(slow) + 1;
    RTN made = RTN_CreateAt(inside, "made");
    TRUE_(RTN_Valid(made));
    EQUAL(RTN_Name(made), std::string("made"));
    EQUAL(RTN_Address(made), inside);
    EQUAL(RTN_FindNameByAddress(inside), std::string("made"));
    EQUAL(RTN_FindNameByAddress(inside - 1), std::string("pick_slow"));
    FALSE_(RTN_Valid(RTN_CreateAt(16, "nowhere")));
}

/* The loader has run by then: what it has bound is the implementation. */
static VOID AtMain(ADDRINT image)
{
    PIN_LockClient();
    IMG img = IMG_FindByAddress(image);
    RTN choose = RTN_FindByName(img, "choose"), chosen = RTN_IFuncImplementation(choose);
    TRUE_(RTN_Valid(chosen) && RTN_Address(chosen) == RTN_Address(RTN_FindByName(img, "pick_fast")));
    PIN_UnlockClient();
}

static VOID Load(IMG img, VOID *)
{
    FALSE_(IMG_HasProperty(img, IMG_PROPERTY_INVALID));
    if (!IMG_IsMainExecutable(img))
        return;
    Ifuncs(img);
    Indexes(img);
    Names(img);
    Made(img);
    RTN rtn = RTN_FindByName(img, "main");
    RTN_Open(rtn);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(AtMain), IARG_ADDRINT, RTN_Address(rtn), IARG_END);
    RTN_Close(rtn);
}

static VOID Fini(INT32, VOID *) { Checked("routines", 30); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    FALSE_(PIN_InitSymbolsAlt(static_cast<SYMBOL_INFO_MODE>(64)));
    TRUE_(PIN_InitSymbolsAlt(DEBUG_OR_EXPORT_OR_IFUNC_SYMBOLS));
    IMG_AddInstrumentFunction(Load, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

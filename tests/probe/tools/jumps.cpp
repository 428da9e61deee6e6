/* SPDX-License-Identifier: Apache-2.0
 * PIN_InsertProbe and PIN_RemoveProbe: `one` leads to `two`, calls of `seen` are counted, until the program calls
 * `enough`. What a call leaves in registers of IARG_PRESERVE is the program's, and nothing else. */
#include "pin.H"

#include <cstdio>
#include <string>

static KNOB<std::string> KnobOut(KNOB_MODE_WRITEONCE, "pintool", "o", "", "where the result goes");
static ADDRINT one, two, seen;
static UINT64 calls;
static BOOL wrong;

static VOID Seen() { calls++; }
static VOID Push() { __asm__ volatile("fld1"); }

/* Both are taken out once, and are gone then. A probe of the engine's own is none of the tool's. */
static int Enough()
{
    return PIN_RemoveProbe(one) + PIN_RemoveProbe(seen) + PIN_RemoveProbe(one) + PIN_RemoveProbe(two) + PIN_RemoveProbe(0);
}

static VOID Image(IMG img, VOID *)
{
    RTN exit = RTN_FindByName(img, "_exit");
    if (RTN_Valid(exit) && PIN_RemoveProbe(RTN_Address(exit)))
        wrong = TRUE;
    if (!IMG_IsMainExecutable(img))
        return;
    one = RTN_Address(RTN_FindByName(img, "one"));
    two = RTN_Address(RTN_FindByName(img, "two"));
    seen = RTN_Address(RTN_FindByName(img, "seen"));
    REGSET x87;
    REGSET_Clear(x87);
    REGSET_Insert(x87, REG_X87);
    RTN_InsertCallProbed(RTN_FindByName(img, "top"), IPOINT_BEFORE, AFUNPTR(Push), IARG_PRESERVE, &x87, IARG_END);
    RTN_InsertCallProbed(RTN_FindByName(img, "kept"), IPOINT_BEFORE, AFUNPTR(Push), IARG_END);
    wrong = !PIN_InsertProbe(one, two) || PIN_InsertProbe(16, two) || !PIN_InsertCallProbed(seen, AFUNPTR(Seen), IARG_END) ||
            !RTN_ReplaceProbed(RTN_FindByName(img, "enough"), AFUNPTR(Enough));
}

static VOID Fini(INT32, VOID *)
{
    if (FILE *f = fopen(KnobOut.Value().c_str(), "w")) {
        fprintf(f, "calls %lu wrong %d\n", calls, wrong);
        fclose(f);
    }
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

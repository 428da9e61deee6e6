/* SPDX-License-Identifier: Apache-2.0
 * For bench/probes.py: what a probe costs. -how empty: a call of an empty function before `small`; signature: `small` is replaced, with its arguments; unhit: empty calls at all
 * functions that are never called. Writes the number of probes to -o. */
#include "pin.H"

#include <cstdio>
#include <string>

static KNOB<std::string> how(KNOB_MODE_WRITEONCE, "pintool", "how", "empty", "empty, signature or unhit");
static KNOB<std::string> out(KNOB_MODE_WRITEONCE, "pintool", "o", "probes.out", "where to");
static UINT32 placed;

static VOID Empty() {}
static ADDRINT Instead(ADDRINT a, ADDRINT b) { return a * 5 + b; }

static VOID Image(IMG img, VOID *)
{
    if (!IMG_IsMainExecutable(img))
        return;
    PROTO proto = PROTO_Allocate(PIN_PARG(long), CALLINGSTD_DEFAULT, "small", PIN_PARG(long), PIN_PARG(long), PIN_PARG_END());
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); rtn = RTN_Next(rtn)) {
            bool is_small = RTN_Name(rtn) == "small", is_unused = RTN_Name(rtn).find("unused_") == 0;
            if (is_small && how.Value() == "signature")
                placed += RTN_ReplaceSignatureProbed(rtn, AFUNPTR(Instead), IARG_PROTOTYPE, proto, IARG_FUNCARG_ENTRYPOINT_VALUE, 0,
                                                     IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_END) != nullptr;
            else if ((is_small && how.Value() == "empty") || (is_unused && how.Value() == "unhit"))
                placed += RTN_InsertCallProbed(rtn, IPOINT_BEFORE, AFUNPTR(Empty), IARG_END);
        }
    PROTO_Free(proto);
}

static VOID Fini(INT32, VOID *)
{
    if (FILE *f = fopen(out.Value().c_str(), "w")) {
        fprintf(f, "%u\n", placed);
        fclose(f);
    }
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    IMG_AddInstrumentFunction(Image, nullptr);
    PIN_AddFiniFunction(Fini, nullptr);
    PIN_StartProgramProbed();
}

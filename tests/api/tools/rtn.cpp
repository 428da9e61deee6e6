/* SPDX-License-Identifier: Apache-2.0
 * Images as they are loaded, routines: calls at their start and before their returns; instructions of an open routine. */
#include "golden.h"

static VOID Enter(const char *name, ADDRINT first, ADDRINT second, ADDRINT seventh, ADDRINT from) { std::printf("%s(0x%lx, 0x%lx, ..., 0x%lx) from 0x%lx\n", name, first, second, seventh, from); }
static VOID Leave(const char *name, ADDRINT result) { std::printf("%s returns 0x%lx\n", name, result); }
static VOID Inside(ADDRINT pc) { std::printf("in g at 0x%lx\n", pc); }

static std::string base_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

static VOID Image(IMG img, VOID *v)
{
    std::printf("%s: %s%s%s%s\n", (const char *)v, IMG_IsMainExecutable(img) ? "main " : "", IMG_IsInterpreter(img) ? "interpreter " : "", IMG_IsVDSO(img) ? "vdso " : "", IMG_IsVDSO(img) ? "" : base_name(IMG_Name(img)).c_str());
    static const char *const names[] = {"f", "g"};
    for (int i = 0; IMG_IsMainExecutable(img) && i < 2; i++) {
        RTN rtn = RTN_FindByName(img, names[i]);
        if (!RTN_Valid(rtn)) {
            std::printf("no %s\n", names[i]);
            continue;
        }
        std::printf("%s at 0x%lx, %lu bytes, %s\n", RTN_Name(rtn).c_str(), RTN_Address(rtn), (unsigned long)RTN_Size(rtn), base_name(IMG_Name(SEC_Img(RTN_Sec(rtn)))).c_str());
        RTN_Open(rtn);
        RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Enter), IARG_PTR, names[i], IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1, IARG_FUNCARG_ENTRYPOINT_VALUE, 6, IARG_RETURN_IP, IARG_END);
        RTN_InsertCall(rtn, IPOINT_AFTER, AFUNPTR(Leave), IARG_PTR, names[i], IARG_FUNCRET_EXITPOINT_VALUE, IARG_END);
        if (i == 1)
            for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins))
                INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Inside), IARG_INST_PTR, IARG_END);
        RTN_Close(rtn);
    }
}

static VOID Unload(IMG img, VOID *) { std::printf("unload %s\n", base_name(IMG_Name(img)).c_str()); }
static VOID Fini(INT32 status, VOID *) { std::printf("fini %d\n", status); }

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    IMG_AddInstrumentFunction(Image, (VOID *)"load");
    IMG_AddUnloadFunction(Unload, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

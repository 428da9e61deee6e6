/* SPDX-License-Identifier: Apache-2.0
 * The source place of every instruction of a file (setting file=..., through IMG_Open), or of the running program's main image; one in `step` of them. Addresses are the file's own. */
#include "golden.h"

static VOID Lines(IMG img)
{
    ADDRINT step = at("step") ? at("step") : 1, n = 0;
    std::printf("lines %d\n", IMG_hasLinesData(img));
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
        for (RTN rtn = SEC_RtnHead(sec); RTN_Valid(rtn); rtn = RTN_Next(rtn)) {
            RTN_Open(rtn);
            for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins), n++) {
                INT32 line = -1, column = -1, line2 = -1, line3 = -1, column3 = -1;
                const CHAR *file2 = 0, *file3 = 0;
                std::string file = "unset";
                if (n % step)
                    continue;
                PIN_LockClient();
                PIN_GetSourceLocation(INS_Address(ins), &column, &line, &file);
                PIN_FindLineFileByAddress(INS_Address(ins), &line2, &file2);
                PIN_FindColumnLineFileByAddress(INS_Address(ins), &column3, &line3, &file3);
                PIN_UnlockClient();
                std::printf("%lx %d %d %s\n", INS_Address(ins) - IMG_LoadOffset(img), line, column, file.c_str());
                if (line2 != line || line3 != line || column3 != column || (file2 ? file2 : "") != file || (file3 ? file3 : "") != file)
                    std::printf("the older functions differ\n");
            }
            RTN_Close(rtn);
        }
}

static VOID Load(IMG img, VOID *)
{
    if (IMG_IsMainExecutable(img))
        Lines(img);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    begin(argc, argv);
    if (option("file")) {
        IMG img = IMG_Open(option("file"));
        Lines(img);
        IMG_Close(img);
        return 0;
    }
    IMG_AddInstrumentFunction(Load, 0);
    PIN_StartProgram();
}

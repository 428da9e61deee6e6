// SPDX-License-Identifier: Apache-2.0
// How the program is started: -how StartProgram or StartProgramProbed, after a callback of one mode only has been registered
// (-callback thread or detach). Says in which mode the tool is, in main and when the main image is loaded.
#include "pin.H"

#include <cstdio>

static KNOB<std::string> out(KNOB_MODE_WRITEONCE, "pintool", "o", "start.out", "where to");
static KNOB<std::string> how(KNOB_MODE_WRITEONCE, "pintool", "how", "StartProgram", "StartProgram or StartProgramProbed");
static KNOB<std::string> callback(KNOB_MODE_WRITEONCE, "pintool", "callback", "", "thread or detach");
static FILE *file;

static VOID on_image(IMG img, VOID *)
{
    if (IMG_IsMainExecutable(img))
        fprintf(file, "image %d\n", PIN_IsProbeMode()), fflush(file);
}

static VOID on_thread(THREADID, CONTEXT *, INT32, VOID *) {}
static VOID on_detach(VOID *) {}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    file = fopen(out.Value().c_str(), "a");
    fprintf(file, "main %d\n", PIN_IsProbeMode());
    fflush(file);
    IMG_AddInstrumentFunction(on_image, nullptr);
    if (callback.Value() == "thread")
        PIN_AddThreadStartFunction(on_thread, nullptr);
    if (callback.Value() == "detach")
        PIN_AddDetachFunctionProbed(on_detach, nullptr);
    if (how.Value() == "StartProgram")
        PIN_StartProgram();
    PIN_StartProgramProbed();
    return 0;
}

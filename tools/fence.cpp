// SPDX-License-Identifier: Apache-2.0
// fence: stops a program that is about to execute code that was changed after it was loaded, or that is in no image at all: what an attacker's code does, and also what JIT compilers do.
// Looks at code when it is translated: code that was changed is translated again.
#include "region.h"

#include <set>
#include <vector>

static KNOB<BOOL> KnobStop(KNOB_MODE_WRITEONCE, "pintool", "stop", "1", "stop the program (0: only tell)");
static KNOB<BOOL> KnobChanged(KNOB_MODE_WRITEONCE, "pintool", "changed_only", "0", "allow code that is in no image");

struct Text {
    ADDRINT address;
    std::vector<UINT8> bytes; // as they were when the image was loaded
};
static std::vector<Text> texts;
static std::set<ADDRINT> told;

static VOID Load(IMG img, VOID *)
{
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec)) {
        if (!SEC_IsExecutable(sec) || !SEC_Mapped(sec) || !SEC_Size(sec))
            continue;
        Text text = {SEC_Address(sec), std::vector<UINT8>(SEC_Size(sec))};
        text.bytes.resize(PIN_SafeCopy(&text.bytes[0], Addrint2VoidStar(text.address), text.bytes.size()));
        texts.push_back(text);
    }
}

static VOID Unload(IMG img, VOID *)
{
    for (size_t i = texts.size(); i-- > 0;)
        if (texts[i].address >= IMG_LowAddress(img) && texts[i].address <= IMG_HighAddress(img))
            texts.erase(texts.begin() + long(i));
}

static const Text *TextOf(ADDRINT address)
{
    for (size_t i = texts.size(); i-- > 0;)
        if (address >= texts[i].address && address < texts[i].address + texts[i].bytes.size())
            return &texts[i];
    return 0;
}

// NULL if the instruction may be executed, or why not.
static const char *Fault(INS ins)
{
    UINT8 now[16];
    ADDRINT address = INS_Address(ins);
    const Text *text = TextOf(address);
    if (!text)
        return KnobChanged ? 0 : "is in no image";
    size_t offset = address - text->address, bytes = INS_Size(ins);
    if (offset + bytes > text->bytes.size() || PIN_SafeCopy(now, Addrint2VoidStar(address), bytes) != bytes || memcmp(now, &text->bytes[offset], bytes) != 0)
        return "was changed after it was loaded";
    return 0;
}

static VOID Stop()
{
    fflush(out);
    PIN_ExitProcess(1);
}

static VOID Instruction(INS ins, VOID *)
{
    const char *fault = Fault(ins);
    if (!fault)
        return;
    if (told.insert(INS_Address(ins)).second)
        fprintf(out, "0x%lx %s: code that %s: %s\n", INS_Address(ins), tool_name_of(INS_Address(ins)).c_str(), fault, INS_Disassemble(ins).c_str());
    if (KnobStop)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Stop), IARG_END); // it is reached, not only translated
}

static VOID Fini(INT32, VOID *)
{
    fprintf(out, "%lu instructions outside the fence\n", told.size());
    fflush(out);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    static const ToolRefused refused[] = {{"by format top stack", "it tells of each instruction outside the fence once, when it is met"}, {"main image routine tid " TOOL_CONTROL, "a fence with holes is none"}, {NULL, NULL}};
    tool_refuses(refused);
    tool_start(argc, argv, "fence: no code but what was loaded");
    region_start();
    IMG_AddInstrumentFunction(Load, 0);
    IMG_AddUnloadFunction(Unload, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    tool_fini(Fini, TRUE);
    PIN_StartProgram();
}

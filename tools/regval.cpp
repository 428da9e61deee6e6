// SPDX-License-Identifier: Apache-2.0
// regval: the values of registers whenever a routine is entered, or at each of its instructions. Registers of every width: general ones, flags, vectors.
#include "region.h"

#include <vector>

static KNOB<std::string> KnobRoutine(KNOB_MODE_WRITEONCE, "pintool", "rtn", "main", "the routine's name");
static KNOB<std::string> KnobRegs(KNOB_MODE_WRITEONCE, "pintool", "regs", "rdi,rsi,rdx", "names of registers, with commas");
static KNOB<BOOL> KnobEach(KNOB_MODE_WRITEONCE, "pintool", "each", "0", "at each instruction of the routine, with its text");
static KNOB<UINT64> KnobLimit(KNOB_MODE_WRITEONCE, "pintool", "limit", "0", "stop after this many lines (0: no limit)");

static std::vector<REG> regs;
static UINT64 lines;
static PIN_LOCK lock;

static REG Named(const std::string &name)
{
    for (int r = REG_INVALID_ + 1; r < REG_LAST; r++)
        if (REG_StringShort(REG(r)) == name)
            return REG(r);
    fprintf(stderr, "E: regval: no register %s\n", name.c_str());
    exit(1);
}

static VOID Show(THREADID tid, ADDRINT pc, const char *text, const CONTEXT *context)
{
    Locked locked(&lock);
    if (KnobLimit.Value() && lines >= KnobLimit.Value())
        return;
    lines++;
    fprintf(out, "%u 0x%lx", tid, pc);
    for (size_t i = 0; i < regs.size(); i++) {
        UINT8 value[64];
        PIN_GetContextRegval(context, regs[i], value);
        fprintf(out, " %s=0x", REG_StringShort(regs[i]).c_str());
        UINT32 n = REG_Size(regs[i]);
        while (n > 1 && !value[n - 1])
            n--; // no zeros in front
        fprintf(out, "%x", value[n - 1]);
        while (--n > 0)
            fprintf(out, "%02x", value[n - 1]);
    }
    fprintf(out, "%s%s\n", *text ? "  " : "", text);
}

static VOID Routine(RTN rtn, VOID *)
{
    if (RTN_Name(rtn) != KnobRoutine.Value())
        return;
    RTN_Open(rtn);
    for (INS ins = RTN_InsHead(rtn); INS_Valid(ins); ins = INS_Next(ins)) {
        const char *text = KnobEach ? strdup(INS_Disassemble(ins).c_str()) : "";
        REGION_CALL(ins, AFUNPTR(Show), IARG_THREAD_ID, IARG_INST_PTR, IARG_PTR, text, IARG_CONST_CONTEXT, IARG_END);
        if (!KnobEach)
            break;
    }
    RTN_Close(rtn);
}

static VOID Fini(INT32, VOID *)
{
    fprintf(out, "%lu times\n", lines);
    fflush(out);
}

// The child of a fork begins with nothing.
static VOID InChild()
{
    lines = 0;
}

int main(int argc, char **argv)
{
    static const ToolRefused refused[] = {{"by format top stack", "values are written as they come"}, {"main image routine", "-rtn names the routine"}, {NULL, NULL}};
    PIN_InitSymbols();
    tool_refuses(refused);
    tool_start(argc, argv, "regval: the values of registers in a routine");
    region_start();
    std::string names = KnobRegs.Value() + ",";
    for (size_t from = 0, to; (to = names.find(',', from)) != std::string::npos; from = to + 1)
        if (to > from)
            regs.push_back(Named(names.substr(from, to - from)));
    tool_init_lock(&lock);
    RTN_AddInstrumentFunction(Routine, 0);
    tool_fini(Fini, TRUE, InChild);
    PIN_StartProgram();
}

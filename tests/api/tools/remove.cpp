/* SPDX-License-Identifier: Apache-2.0
 * PIN_RemoveInstrumentation and PIN_RemoveInstrumentationInRange: on the third turn of a loop from an analysis routine (how=all, range), from an instrumentation callback (callback), and again and again
 * while other threads are in the same code (storm). What was inserted goes, and the callbacks see the code again. Rule A40. */
#include "golden.h"

static unsigned instrumented[2], called[2], since[2];
static bool off[2];
static UINT64 calls;
static ADDRINT work; /* read once: settings are not for several threads */

static VOID Loop()
{
    std::string how = option("how");
    if (++called[0] != 3)
        return;
    if (how == "all") {
        off[0] = off[1] = true;
        PIN_RemoveInstrumentation();
    } else if (how == "range") {
        off[0] = true;
        PIN_RemoveInstrumentationInRange(at("at_loop"), at("at_loop"));
    }
}
static VOID F() { called[1]++; }

static VOID Instruction(INS ins, VOID *)
{
    int n = is_at(ins, "at_loop") ? 0 : is_at(ins, "at_f") ? 1 : -1;
    if (n < 0)
        return;
    instrumented[n]++;
    if (!off[n])
        INS_InsertCall(ins, IPOINT_BEFORE, n ? AFUNPTR(F) : AFUNPTR(Loop), IARG_END);
    if (n == 1 && !std::strcmp(option("how"), "callback") && !off[1]) {
        off[0] = off[1] = true;
        PIN_RemoveInstrumentation();
    }
}

/* how=storm: a guest with threads that call `work`. */
static VOID Work()
{
    UINT64 n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (n % 512 == 0)
        PIN_RemoveInstrumentation();
    else if (n % 64 == 0)
        PIN_RemoveInstrumentationInRange(work, work + 64);
}

static VOID StormInstruction(INS ins, VOID *)
{
    if (is_at(ins, "at_work"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Work), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    if (!std::strcmp(option("how"), "storm"))
        std::printf("called %lu\n", calls);
    else
        std::printf("instrumented loop %u f %u, called loop %u f %u\n", instrumented[0], instrumented[1], called[0], called[1]);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    work = at("at_work");
    INS_AddInstrumentFunction(std::strcmp(option("how"), "storm") ? Instruction : StormInstruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}

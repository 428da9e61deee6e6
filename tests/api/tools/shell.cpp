/* SPDX-License-Identifier: Apache-2.0
 * The debugger's shell, with commands that are given before the program starts, and breakpoints that print where others would stop. */
#include "checks.h"

#include "debugger-shell.H"
#include "settings.h"

using namespace DEBUGGER_SHELL;

static VOID Hit(const char *when, ADDRINT pc, const char *message) { std::printf("%s 0x%lx: %s\n", when, pc, message); }

class Printing : public ICUSTOM_INSTRUMENTOR
{
  public:
    VOID InsertBreakpointBefore(INS ins, BBL bbl, CALL_ORDER order, const std::string &message)
    {
        TRUE_(BBL_Valid(bbl) && REG_valid(shell->GetSkipOneRegister()));
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Hit), IARG_CALL_ORDER, order, IARG_PTR, static_cast<const char *>("before"), IARG_INST_PTR, IARG_PTR, message.c_str(), IARG_END);
    }
    VOID InsertBreakpointAfter(INS ins, BBL bbl, IPOINT ipoint, CALL_ORDER order, const std::string &message)
    {
        TRUE_(BBL_Valid(bbl));
        INS_InsertThenCall(ins, ipoint, AFUNPTR(Hit), IARG_CALL_ORDER, order, IARG_PTR, "after", IARG_INST_PTR, IARG_PTR, message.c_str(), IARG_END);
    }
    ISHELL *shell;
};
static Printing printing;

static std::string Do(ISHELL *shell, const std::string &command)
{
    std::string result;
    BOOL known = static_cast<SHELL *>(shell)->Command(command, &result);
    return known ? result : "unknown\n";
}

static VOID Fini(INT32, VOID *v)
{
    std::printf("%s", Do(static_cast<ISHELL *>(v), "trace print").c_str());
    Checked("shell", 15);
    std::fflush(stdout);
    dump_counts();
}

int main(int argc, char **argv)
{
    stdout = stderr; /* the engine's notice is there */
    begin(argc, argv);
    ISHELL *shell = CreateShell();
    STARTUP_ARGUMENTS args;
    args._enableIcountBreakpoints = TRUE;
    args._customInstrumentor = &printing;
    printing.shell = shell;
    TRUE_(shell->Enable(args));
    BOOL there = TRUE;
    unsigned category = shell->AddExtendedHelpCategory("mine", "commands of the tool", &there);
    EQUAL(category, unsigned(HELP_CATEGORY_END));
    FALSE_(there);
    EQUAL(shell->AddExtendedHelpCategory("mine", "again", &there), category);
    TRUE_(there);
    shell->AddExtendedHelpMessage(category, "count", "how many");
    EQUAL(Do(shell, "help mine"), "mine: commands of the tool\ncount - how many\n");
    TRUE_(Do(shell, "help").find("break if store to ADDRESS") != std::string::npos);
    EQUAL(Do(shell, "help nothing"), "No such category: nothing\n");
    EQUAL(Do(shell, "dance"), "unknown\n");
    EQUAL(Do(shell, "list breakpoints"), "No breakpoints\n");
    std::string stamps = hexstr(at("at_stamps")), magic = hexstr(at("at_magic"));
    EQUAL(Do(shell, "break if jump to " + magic), "Breakpoint #1\n");
    EQUAL(Do(shell, "break if store to " + hexstr(at("at_stamps") + 5)), "Breakpoint #2\n");
    EQUAL(Do(shell, "break if store 0 to " + hexstr(at("at_stamps") + 8 + 2)), "Breakpoint #3\n");
    EQUAL(Do(shell, "break if store 1 to " + hexstr(at("at_stamps") + 8 + 2)), "Breakpoint #4\n");
    EQUAL(Do(shell, "break if icount 10"), "Breakpoint #5\n");
    EQUAL(Do(shell, "trace at " + magic), "Tracepoint #6\n");
    EQUAL(Do(shell, "trace rbx at " + magic), "Tracepoint #7\n");
    EQUAL(Do(shell, "trace r12 at " + hexstr(at("at_leaf_end"))), "Tracepoint #8\n");
    EQUAL(Do(shell, "trace moon at " + magic), "No such register: moon\n");
    EQUAL(Do(shell, "break if moon"), "Not a breakpoint: see help breakpoints.\n");
    EQUAL(Do(shell, "delete tracepoint 6"), "");
    EQUAL(Do(shell, "delete breakpoint 6"), "No such point: see list.\n");
    EQUAL(Do(shell, "list tracepoints"), "#7: trace rbx at " + magic + "\n#8: trace r12 at " + hexstr(at("at_leaf_end")) + "\n");
    EQUAL(Do(shell, "trace disable"), "");
    EQUAL(Do(shell, "trace enable"), "");
    EQUAL(Do(shell, "trace clear"), "");
    PIN_AddFiniFunction(Fini, shell);
    PIN_StartProgram();
}

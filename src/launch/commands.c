/* SPDX-License-Identifier: Apache-2.0
 * The commands: linchpin NAME [words]. One table, from which they are called, listed by -help and completed. */
#include "base/suggest.h"
#include "launch/options.h"
#include "report/result.h"

#include <string.h>

const struct command commands[] = {
    {"tools", "", "list the bundled tools", tools_main, false},
    {"help", "[TOPIC]", "tell about a command, an option, a tool or a topic", help_main, false},
    {"report", "FILE... [-o PAGE.html]", "make a page of results that tools wrote with -format json", report_main,
     false},
    {"diff", "A.json B.json [-by routine|line] [-top N]", "tell what differs between two results", diff_main, false},
    {"detach", "PID [SECONDS]", "take the tool out of a process, which goes on natively", detach_main, false},
    {"dump", "PID", "have the tool in a process write its results so far", dump_main, false},
    {"gdb", "[-x FILE] [-ex COMMAND] [-batch] [options] [-t TOOL ...] -- PROGRAM ...",
     "debug the program that runs under the tool", gdb_main, false},
    {"new", "NAME", "write a first tool, NAME.cpp, or NAME.c for NAME.c", newtool_main, false},
    {"cc", "TOOL.cpp [-o TOOL.so] [compiler options]", "build a tool", cc_main, false},
    {"points", "[options] VECTORS.bb...", "find simulation points from what the tool bbv writes", points_main, false},
    {"pinpoints", "[-o NAME] [-interval N] [options of points] -- PROGRAM ...",
     "find a program's simulation points, and tell how well they stand for it", pinpoints_main, false},
    {"record", "-o DIR [options] [-t TOOL ...] -- PROGRAM ...", "make a recording of a run", record_main, false},
    {"replay", "DIR [-replay:show_output] [options] [-t TOOL ...]", "run a recording again, as it was", replay_main,
     false},
    {"system",
     "[-whole_blocks] [-symbols guest|FILE] [-threads guest] [-t TOOL [tool options]] -- qemu-system-x86_64 ... | demo",
     "run a whole system, kernel and all processes, under a tool", system_main, false},
    {"doctor", "", "tell what this machine allows", doctor_main, false},
    {"completion", "bash|zsh", "print what the shell needs to complete linchpin's words", completion_main, false},
    {"manual", "", "print the manual page", manual_main, true},
    {"patch", "PID TID ADDRESS", "change code while all threads stand still, for probe mode", patch_main, true},
};
const u32 ncommands = ARRAY_LEN(commands);

const struct command *command_find(const char *name)
{
    for (u32 i = 0; i < ncommands; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

const char *command_like(const char *word)
{
    struct suggestion s = suggest_for(word);
    for (u32 i = 0; i < ncommands; i++)
        if (!commands[i].hidden)
            suggest_try(&s, commands[i].name);
    return s.best;
}

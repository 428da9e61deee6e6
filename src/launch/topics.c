/* SPDX-License-Identifier: Apache-2.0
 * The texts of `linchpin help TOPIC`, and of the manual page. Lines of at most 90 columns. */
#include "launch/options.h"

static const char run_text[] =
    "linchpin -t inscount -- ls -l            a tool on a program\n"
    "linchpin -t inscount -o out.txt -- ls    the words between the tool and -- are the tool's\n"
    "linchpin -- ls                           no tool: only the engine\n"
    "linchpin -follow_execv -- make           the programs that it executes, too\n"
    "\n"
    "The program is found as a shell would find it. Its output, its exit status and its signals are\n"
    "those of a native run. Where it cannot be started, the message begins with linchpin: and the\n"
    "status is 127 (not found), 126 (it cannot be run) or 1 (a wrong option, or the machine says no).\n";

static const char attach_text[] =
    "linchpin -pid 4711 -t inscount -o /tmp/count    put a tool into process 4711\n"
    "linchpin -pid 4711 -attach_status               does it run under Linchpin, and with which tool?\n"
    "linchpin detach 4711                            take the tool out: it writes its results\n"
    "\n"
    "The first returns when the tool runs inside the process; until then, what engine and tool have\n"
    "to say comes to your terminal. Names of files are relative to the process' directory.\n"
    "Other users' processes, those under a debugger and 32-bit programs are refused, and nothing is\n"
    "changed then. docs/usage.md has the details.\n";

static const char regions_text[] =
    "Most tools that count or trace take -control, which says when to begin and to end:\n"
    "\n"
    "  -control start:address:main,stop:address:main:count2    from the first call of main to the second\n"
    "  -control start:icount:1000000,stop:icount:2000000       the second million of instructions\n"
    "  -skip 1000000 -length 1000000                           the same\n"
    "\n"
    "docs/instlib.md has all alarms.\n";

static const char write_text[] =
    "linchpin new mytool                         writes mytool.cpp, which counts instructions\n"
    "linchpin cc mytool.cpp -o mytool.so         builds it\n"
    "linchpin -t ./mytool.so -- ls               runs it\n"
    "\n"
    "A tool is a C++ source for pin.H (or C, for pin.h), Pin's tool API: docs/tutorial.md is a first\n"
    "lesson, docs/api.md has every function. -log_inline says how each analysis routine is called.\n";

static const char environment_text[] =
    "NO_COLOR   nothing bold on a terminal (headings, -progress), whatever its value\n"
    "CC, CXX    the compilers that linchpin cc calls\n"
    "V          linchpin cc shows the compiler's command\n"
    "PATH       where PROGRAM is looked for\n"
    "\n"
    "The program sees its environment as it is.\n";

static const char trouble_text[] =
    "linchpin doctor says what this machine allows, and what follows from it.\n"
    "\n"
    "ptrace is forbidden (containers)    -injection inprocess; auto does so by itself\n"
    "the program takes long              -progress: how far it is; -stats: where the time went\n"
    "a message of the engine's own bug   -log 2 says what was translated last\n"
    "results in a file of the tool's     -t TOOL -help: the option is mostly -o\n"
    "the tool is slow                    -log_inline: how each analysis routine is called, and why\n";

const struct topic topics[] = {
    {"run", "how a program is run under a tool", run_text},
    {"attach", "tools in running processes", attach_text},
    {"regions", "a tool for a part of the program only", regions_text},
    {"write", "tools of your own", write_text},
    {"environment", "variables that the command looks at", environment_text},
    {"trouble", "when something does not work", trouble_text},
};
const u32 ntopics = ARRAY_LEN(topics);

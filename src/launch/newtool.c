/* SPDX-License-Identifier: Apache-2.0
 * linchpin new: writes the source of a tool that works, and says how to build and run it. Never overwrites a file. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char cxx_tool[] =
    "// Counts the instructions that the program executes.\n"
    "#include \"pin.H\"\n"
    "\n"
    "#include <iostream>\n"
    "\n"
    "static KNOB<std::string> KnobLabel(KNOB_MODE_WRITEONCE, \"pintool\", \"label\", \"instructions\", "
    "\"what to call the result\");\n"
    "\n"
    "static UINT64 count[PIN_MAX_THREADS]; // one for each thread\n"
    "\n"
    "// Analysis: runs before every basic block.\n"
    "static VOID CountBlock(UINT32 instructions, THREADID tid) { count[tid] += instructions; }\n"
    "\n"
    "// Instrumentation: runs once for each trace, when it is translated.\n"
    "static VOID Trace(TRACE trace, VOID *)\n"
    "{\n"
    "    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))\n"
    "        BBL_InsertCall(bbl, IPOINT_ANYWHERE, AFUNPTR(CountBlock), IARG_UINT32, BBL_NumIns(bbl), "
    "IARG_THREAD_ID, IARG_END);\n"
    "}\n"
    "\n"
    "static VOID Fini(INT32, VOID *)\n"
    "{\n"
    "    UINT64 sum = 0;\n"
    "    for (UINT32 i = 0; i < PIN_MAX_THREADS; i++)\n"
    "        sum += count[i];\n"
    "    std::cerr << KnobLabel.Value() << \": \" << sum << std::endl;\n"
    "}\n"
    "\n"
    "int main(int argc, char *argv[])\n"
    "{\n"
    "    if (PIN_Init(argc, argv)) {\n"
    "        std::cerr << KNOB_BASE::StringKnobSummary();\n"
    "        return 1;\n"
    "    }\n"
    "    TRACE_AddInstrumentFunction(Trace, 0);\n"
    "    PIN_AddFiniFunction(Fini, 0);\n"
    "    PIN_StartProgram(); // does not return\n"
    "    return 0;\n"
    "}\n";

static const char c_tool[] =
    "/* Counts the instructions that the program executes. */\n"
    "#include \"pin.h\"\n"
    "\n"
    "PIN_KNOB_STRING(label, \"label\", \"instructions\", \"what to call the result\")\n"
    "\n"
    "static UINT64 count[PIN_MAX_THREADS]; /* one for each thread */\n"
    "\n"
    "/* Analysis: runs before every basic block. */\n"
    "static VOID count_block(UINT32 instructions, THREADID tid)\n"
    "{\n"
    "    count[tid] += instructions;\n"
    "}\n"
    "\n"
    "/* Instrumentation: runs once for each trace, when it is translated. */\n"
    "static VOID trace_made(TRACE trace, VOID *v)\n"
    "{\n"
    "    (void)v;\n"
    "    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl))\n"
    "        BBL_InsertCall(bbl, IPOINT_ANYWHERE, (AFUNPTR)count_block, IARG_UINT32, BBL_NumIns(bbl), "
    "IARG_THREAD_ID, IARG_END);\n"
    "}\n"
    "\n"
    "static VOID fini(INT32 code, VOID *v)\n"
    "{\n"
    "    UINT64 sum = 0;\n"
    "    (void)code, (void)v;\n"
    "    for (UINT32 i = 0; i < PIN_MAX_THREADS; i++)\n"
    "        sum += count[i];\n"
    "    fprintf(stderr, \"%s: %lu\\n\", label, sum);\n"
    "}\n"
    "\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    if (PIN_Init(argc, argv)) {\n"
    "        PIN_KnobSummary(stderr);\n"
    "        return 1;\n"
    "    }\n"
    "    TRACE_AddInstrumentFunction(trace_made, NULL);\n"
    "    PIN_AddFiniFunction(fini, NULL);\n"
    "    PIN_StartProgram(NULL); /* does not return */\n"
    "}\n";

static void write_all(int fd, const char *path, const char *text, size_t left)
{
    while (left) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            die(1, "new: %s: %s", path, strerror(errno));
        text += n;
        left -= (size_t)n;
    }
}

static bool ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), t = strlen(tail);
    return n > t && strcmp(s + n - t, tail) == 0;
}

int newtool_main(int argc, char **argv)
{
    static char path[PATH_MAX], so[PATH_MAX], text[4 * PATH_MAX];
    if (argc != 1 || !*argv[0] || argv[0][0] == '-')
        die(1, "new: linchpin new NAME (a C++ tool, NAME.cpp) or linchpin new NAME.c (a C tool)");
    const char *name = argv[0];
    bool is_c = ends_with(name, ".c"), has_suffix = is_c || ends_with(name, ".cpp");
    if (strlen(name) > PATH_MAX - 16)
        die(1, "new: %s: %s", name, strerror(ENAMETOOLONG));
    base_format(path, sizeof path, "%s%s", name, has_suffix ? "" : ".cpp");
    base_format(so, sizeof so, "%s", path);
    memcpy(strrchr(so, '.'), ".so", 4);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        die(1, "new: %s: %s", path, errno == EEXIST ? "exists already" : strerror(errno));
    write_all(fd, path, is_c ? c_tool : cxx_tool, (is_c ? sizeof c_tool : sizeof cxx_tool) - 1);
    if (close(fd))
        die(1, "new: %s: %s", path, strerror(errno));
    int n = base_format(text, sizeof text,
                        "wrote %s\nbuild it:  linchpin cc %s -o %s\nrun it:    linchpin -t %s%s -- ls\n", path, path,
                        so, strchr(so, '/') ? "" : "./", so);
    write_all(STDOUT_FILENO, "standard output", text, (size_t)n);
    return 0;
}

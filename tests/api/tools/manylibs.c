/* SPDX-License-Identifier: Apache-2.0
 * Calls of the system from libraries of the tool's, copies of the tool itself: from the last of many that are open
 * before the program runs, and from one that an analysis routine opens. */
#define _GNU_SOURCE
#include "pin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COPIES 80

typedef long call_fn(long nr);
static call_fn *early;
static ADDRINT at_early, at_late;

int main(int argc, char **argv);

static long raw_call(long nr)
{
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(nr) : "rcx", "r11", "memory");
    return r;
}

static call_fn *open_copy(void)
{
    char name[] = "/tmp/manylibs-XXXXXX", block[4096];
    Dl_info own;
    size_t n;
    int to = mkstemp(name);
    FILE *from = dladdr((void *)raw_call, &own) ? fopen(own.dli_fname, "r") : NULL;
    while (from && (n = fread(block, 1, sizeof block, from)) > 0)
        if (write(to, block, n) != (ssize_t)n)
            abort();
    if (from)
        fclose(from);
    close(to);
    void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    unlink(name);
    char *its_main = lib ? dlsym(lib, "main") : NULL; /* all that a tool shows */
    if (!its_main || its_main == (char *)main)
        abort();
    return (call_fn *)(its_main + ((char *)raw_call - (char *)main));
}

static void say(const char *what, long result) { printf("%s: %s\n", what, result > 0 ? "made" : "refused"); }

static VOID Early(void) { say("early", early(SYS_getppid)); }
static VOID Late(void) { say("late", open_copy()(SYS_getppid)); }

static VOID Instruction(INS ins, VOID *arg)
{
    (void)arg;
    if (INS_Address(ins) == at_early)
        INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)Early, IARG_END);
    if (INS_Address(ins) == at_late)
        INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)Late, IARG_END);
}

static ADDRINT setting(int argc, char **argv, const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (!strncmp(argv[i], name, n) && argv[i][n] == '=')
            return strtoul(argv[i] + n + 1, NULL, 0);
    return 0;
}

int main(int argc, char **argv)
{
    if (PIN_Init(1, argv))
        return 1;
    at_early = setting(argc, argv, "at_early");
    at_late = setting(argc, argv, "at_late");
    for (int i = 0; i < COPIES; i++)
        early = open_copy();
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram(0);
}

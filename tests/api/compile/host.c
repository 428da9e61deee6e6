/* SPDX-License-Identifier: Apache-2.0
 * Stands in for the engine where headers are tested without it: loads a tool as the engine does (A1) and answers the few calls that the tools of this directory make. */
#include "../../../include/linchpin/api_text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static FINI_CALLBACK fini_function;

BOOL PIN_Init(INT32 argc, CHAR **argv)
{
    (void)argc, (void)argv;
    return false;
}
PIN_CALLBACK INS_AddInstrumentFunction(INS_INSTRUMENT_CALLBACK fun, VOID *v)
{
    (void)v;
    INS ins = {7};
    fun(ins, v);
    return PIN_CALLBACK_INVALID;
}
PIN_CALLBACK PIN_AddFiniFunction(FINI_CALLBACK fun, VOID *v)
{
    (void)v;
    fini_function = fun;
    return PIN_CALLBACK_INVALID;
}
VOID PIN_StartProgram(PIN_CONFIGURATION_INFO info)
{
    printf("start %d\n", info == NULL);
    fini_function(3, NULL);
    exit(0);
}
VOID PIN_ExitProcess(INT32 code)
{
    exit(code);
}
/* IARG_END must come through as the engine reads it. */
VOID INS_InsertCall(INS ins, IPOINT point, AFUNPTR fn, ...)
{
    va_list ap;
    va_start(ap, fn);
    int first = va_arg(ap, int);
    const char *file = va_arg(ap, const char *);
    int second = va_arg(ap, int), line = va_arg(ap, int), last = va_arg(ap, int);
    va_end(ap);
    printf("insert %d %d %d %s %d %d\n", ins.index, point, first == IARG_FILE_NAME && second == IARG_LINE_NO && last == IARG_LAST, file, line > 0, fn != NULL);
}
INS INS_Next(INS ins)
{
    ins.index++;
    return ins;
}
INS INS_Invalid(void)
{
    INS ins = {0};
    return ins;
}
const CHAR *INS_Disassemble(INS ins)
{
    static char text[32];
    snprintf(text, sizeof text, "ins %d", ins.index);
    return text;
}
const CHAR *REG_StringShort(REG reg)
{
    return reg == REG_RAX ? "rax" : "other";
}

int main(int argc, char **argv)
{
    void *tool = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!tool) {
        puts(argc > 2 ? dlerror() : "usage: host -t TOOL ...");
        return 2;
    }
    const unsigned *abi = dlsym(tool, "lp_abi_version");
    int (*tool_main)(int, char **) = (int (*)(int, char **))dlsym(tool, "main");
    if (!abi || *abi != LP_ABI_VERSION || !tool_main) {
        puts("not a tool");
        return 2;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    return tool_main(argc, argv);
}

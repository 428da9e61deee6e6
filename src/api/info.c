/* SPDX-License-Identifier: Apache-2.0
 * What a tool may ask about the engine itself, and small services: versions, paths, time, memory, messages, the
 * configuration of PIN_StartProgram. Any thread. */
#include "api/info.h"
#include "opt/objects.h"
#include "base/options.h"
#include "linchpin/api_text.h"
#include "os/hostmem.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char engine_path[PATH_MAX], tool_path[PATH_MAX];
static u64 start_ms;

static u64 now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

void info_start(const char *tool)
{
    start_ms = now_ms();
    Dl_info own;
    if (dladdr((void *)info_start, &own) && !realpath(own.dli_fname, engine_path))
        base_format(engine_path, sizeof engine_path, "%s", own.dli_fname);
    base_format(tool_path, sizeof tool_path, "%s", tool);
}

const CHAR *PIN_Version(void) { return "Linchpin " LP_VERSION; }
CHAR *PIN_VmFullPath(void) { return engine_path; }
const CHAR *PIN_ToolFullPath(void) { return tool_path; }
UINT64 MilliSecondsElapsed(void) { return now_ms() - start_ms; }
USIZE PIN_MemoryAllocatedForPin(void) { return hostmem_total_bytes(); }

/* The number of the tool's own kind of message and its arguments are for callbacks of Pin's user interfaces; the text
 * is complete. */
VOID PIN_WriteErrorMessage(const char *text, INT32 type, PIN_ERR_SEVERITY_TYPE severity, INT32 nargs, ...)
{
    const char *arg[32];
    u32 n = 0;
    va_list ap;
    va_start(ap, nargs);
    while (n < (u32)nargs && n < ARRAY_LEN(arg))
        arg[n++] = va_arg(ap, const char *);
    va_end(ap);
    fflush(NULL);
    msg("%s", text);
    error_record(type, severity == PIN_ERR_FATAL ? "FATAL ERROR" : "ERROR", text, n, arg);
    if (severity == PIN_ERR_FATAL)
        _exit(1);
}

/* For the tool's header, which has messages of its own. */
INT32 lp_under_pin(void) { return pin_log != NULL; }

/* The messages of a tool's own header (messages.hpp): the tool has written the text already. */
VOID lp_record_error(INT32 type, INT32 fatal, const char *text)
{
    error_record(type, fatal ? "FATAL ERROR" : "ERROR", text, 0, NULL);
}

/* --- what PIN_StartProgram may be given --------------------------------------------------------------------------- */

struct lp_configuration {
    u32 concurrent; /* a bit for each PIN_CALLBACK_TYPE */
};

PIN_CONFIGURATION_INFO PIN_CreateDefaultConfigurationInfo(void)
{
    struct lp_configuration *c = calloc(1, sizeof *c);
    if (!c)
        die(1, "PIN_CreateDefaultConfigurationInfo: no memory");
    return c;
}

bool info_allows_concurrent(PIN_CONFIGURATION_INFO info, int type)
{
    return info && info->concurrent >> (type & 31) & 1;
}

/* Those of this type need not run one after the other. */
VOID PIN_SetAllowedConcurrentCallbacks(PIN_CONFIGURATION_INFO info, PIN_CALLBACK_TYPE type)
{
    if (!info)
        api_misuse(__func__, NULL, 0, "the configuration is NULL; PIN_CreateDefaultConfigurationInfo makes one");
    info->concurrent |= 1u << (type & 31);
}

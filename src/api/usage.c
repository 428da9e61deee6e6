/* SPDX-License-Identifier: Apache-2.0
 * How the tool is called by its user: a mistake in the tool's options, or a call for help, which the headers tell of
 * from inside PIN_Init. A mistake is said when the tool's main has come back, after all that the tool itself prints.
 * And what a tool's main must do before the program starts. On the first thread, before the program starts. */
#include "api/usage.h"
#include "arch/arch.h"

#include "api/toolsource.h"
#include "base/options.h"
#include "base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char mistake[512];
static bool told; /* a mistake, or that help was asked for */

const char *lp_option_near(const char *word, const char *const *name, u32 n)
{
    struct suggestion s = suggest_for(word);
    for (u32 i = 0; i < n; i++)
        suggest_try(&s, name[i]);
    return s.best;
}

u32 lp_option_ignored(const char *word)
{
    static const struct {
        const char *name;
        u32 words; /* a flag, or with a value */
    } ignored[] = {
        {"-slow_asserts", 1}, {"-unrestricted_rtn_size", 1}, {"-keep_contained_symbols", 1}, {"-support_jit_api", 1},
        {"-allow_probe_potential_branch_target", 1}, {"-randomOffsetProbes", 2}, {"-discard_line_info_all", 1},
        {"-discard_line_info", 2}, {"-debug_info_max_size", 2}, {"-symbol_path", 2},
        {"-mesgon", 2}, {"-statistic", 1},
    };
    for (u32 i = 0; i < ARRAY_LEN(ignored); i++)
        if (option_is(ignored[i].name, word)) {
            log_at(1, "option %s means nothing here: it is ignored", ignored[i].name);
            return ignored[i].words;
        }
    return 0;
}

/* The tool's name as the user may give it after -t. */
static const char *tool_name(char out[256])
{
    const char *slash = strrchr(options.tool, '/');
    bool bundled = strstr(options.tool, "/lib/linchpin/tools/");
    base_format(out, 256, "%s", bundled && slash ? slash + 1 : options.tool);
    char *dot = strrchr(out, '.');
    if (bundled && dot)
        *dot = '\0';
    return out;
}

/* Nothing was made that has to be undone. */
static void tell(void)
{
    char name[256];
    fflush(NULL);
    if (!*mistake)
        _exit(0);
    msg("%s (linchpin -t %s -help lists the options)", mistake, tool_name(name));
    error_record(0, "FATAL ERROR", mistake, 0, NULL);
    _exit(1);
}

/* Tools end by exit, or by coming back from main, after which the engine calls it. */
void lp_option_mistake(const char *text)
{
    if (!told)
        atexit(tell);
    told = true;
    if (text && !*mistake)
        base_format(mistake, sizeof mistake, "%s", text);
}

bool usage_told(void) { return told; }

/* --- the order of calls in main ----------------------------------------------------------------------------------- */

static bool init_done;

void usage_init_done(void) { init_done = true; }

void usage_need_init(const char *call)
{
    struct toolsource_place p = {.api = NULL};
    if (init_done)
        return;
    bool known = toolsource_caller(&p);
    api_misuse(call ? call : p.api ? p.api : "a function of the API", known ? p.file : NULL, p.line,
               "PIN_Init has not been called before it");
}

void usage_not_started(int status, void *tool_main)
{
    struct toolsource_place p;
    char place[600] = "";
    if (toolsource_line((u64)tool_main, &p))
        base_format(place, sizeof place, " (%s:%d)", p.file, p.line);
    msg("the tool %s has ended with status %d before it has started the program (PIN_StartProgram): its main has come "
        "back%s", options.tool, status, place);
}

void usage_need_symbols(const char *call)
{
    static bool said;
    struct toolsource_place p;
    if (said)
        return;
    said = true;
    if (toolsource_caller(&p))
        msg("%s: there are no symbols, because PIN_InitSymbols has not been called (called at %s:%d)", call, p.file,
            p.line);
    else
        msg("%s: there are no symbols, because PIN_InitSymbols has not been called", call);
}

void usage_not_narrow(const char *call)
{
    if (UNLIKELY(arch_narrow))
        api_misuse(call, NULL, 0, "it is not done for IA-32 programs yet (docs/limits.md)");
}

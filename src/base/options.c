/* SPDX-License-Identifier: Apache-2.0
 * The engine's options: one table, from which they are parsed. The launcher has checked names and values already, so a
 * mistake found here means that launcher and engine disagree. Written once, on the first thread, before any other
 * exists. */
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

struct options options;

enum kind { FLAG, ADDRESSES, NUMBER32, NUMBER64, SIGNED, TEXT, IGNORED, CLASS };

static const struct {
    const char *name;
    enum kind kind;
    void *value;
} table[] = {
    {"-cc_memory_size", NUMBER64, &options.cc_memory_size},
    {"-pin_memory_range", ADDRESSES, &options.pin_memory_range},
    {"-cc_memory_range", ADDRESSES, &options.cc_memory_range},
    {"-pin_memory_size", NUMBER64, &options.pin_memory_size},
    {"-trace_max_ins", NUMBER32, &options.trace_max_ins},
    {"-region_max_bbls", NUMBER32, &options.region_max_bbls},
    {"-thread_stack_size", NUMBER32, &options.thread_stack_size},
    {"-reserve_memory", TEXT, &options.reserve_memory},
    {"-t32", TEXT, &options.narrow_tool},
    {"-t64", TEXT, &options.wide_tool},
    {"-probe", FLAG, &options.probe},
    {"-pause_tool", NUMBER32, &options.pause_tool},
    {"-pause", NUMBER32, &options.pause},
    {"-tool_load_option", TEXT, &options.tool_load_option},
    {"-error_file", TEXT, &options.error_file},
    {"-unique_error_file", FLAG, &options.unique_error_file},
    {"-pin_log", TEXT, &options.pin_log},
    {"-assert_check_inline", FLAG, &options.assert_check_inline},
    {"-mesgon", CLASS, NULL},
    {"-no_save_x87", FLAG, &options.no_save_x87},
    {"-no_save_mxcsr", FLAG, &options.no_save_mxcsr},
    {"-bridge_set_mxcsr", FLAG, &options.no_save_mxcsr},
    {"-unique_logfile", FLAG, &options.unique_logfile},
    {"-ignored", IGNORED, NULL},
    {"-random_flush", NUMBER32, &options.random_flush},
    {"-no_link", FLAG, &options.no_link},
    {"-no_rip_near", FLAG, &options.no_rip_near},
    {"-no_clone", FLAG, &options.no_clone},
    {"-clone_after", NUMBER32, &options.clone_after},
    {"-no_carry", FLAG, &options.no_carry},
    {"-no_bind", FLAG, &options.no_bind},
    {"-no_join", FLAG, &options.no_join},
    {"-no_ahead", FLAG, &options.no_ahead},
    {"-no_large_pages", FLAG, &options.no_large_pages},
    {"-no_runs", FLAG, &options.no_runs},
    {"-no_quick_decode", FLAG, &options.no_quick_decode},
    {"-no_quick_save", FLAG, &options.no_quick_save},
    {"-wx", FLAG, &options.wx},
    {"-no_variants", FLAG, &options.no_variants},
    {"-no_dead", FLAG, &options.no_dead},
    {"-no_inline", FLAG, &options.no_inline},
    {"-no_fold", FLAG, &options.no_fold},
    {"-no_lazy", FLAG, &options.no_lazy},
    {"-no_partial", FLAG, &options.no_partial},
    {"-no_light", FLAG, &options.no_light},
    {"-no_merge", FLAG, &options.no_merge},
    {"-no_spread", FLAG, &options.no_spread},
    {"-log_inline", FLAG, &options.log_inline},
    {"-stats", FLAG, &options.stats},
    {"-progress", FLAG, &options.progress},
    {"-progress_every", NUMBER32, &options.progress_every},
    {"-stats_json", TEXT, &options.stats_json},
    {"-follow_execv", FLAG, &options.follow_execv},
    {"-record", TEXT, &options.record},
    {"-replay", TEXT, &options.replay},
    {"-replay:show_output", FLAG, &options.show_output},
    {"-generation", NUMBER32, &options.generation},
    {"-appdebug", FLAG, &options.appdebug},
    {"-appdebug_enable", FLAG, &options.appdebug_enable},
    {"-appdebug_off", FLAG, &options.appdebug_off},
    {"-appdebug_exclude", TEXT, &options.appdebug_exclude},
    {"-appdebug_silent", FLAG, &options.appdebug_silent},
    {"-appdebug_allow_remote", FLAG, &options.appdebug_allow_remote},
    {"-appdebug_forks", FLAG, &options.appdebug_forks},
    {"-appdebug_server_port", NUMBER32, &options.appdebug_server_port},
    {"-appdebug_ready", NUMBER32, &options.appdebug_ready},
    {"-appdebug_connection", TEXT, &options.appdebug_connection},
    {"-appdebug_inherit", TEXT, &options.appdebug_inherit},
    {"-patience", NUMBER32, &options.patience},
    {"-log", SIGNED, &options.log_level},
    {"-logfile", TEXT, &options.logfile},
    {"-api_calls", TEXT, &options.api_calls},
    {"-api_spoil", TEXT, &options.api_spoil},
};

static u64 number(const char *name, const char *word)
{
    char *end;
    u64 v = strtoull(word, &end, 0);
    if (end == word || *end)
        die(1, "option %s: '%s' is not a number", name, word);
    return v;
}

/* What does not fit any more is not kept. */
static void append(const char **list, u32 max, u32 *n, const char *word)
{
    if (*n < max)
        list[(*n)++] = word;
}

static void store(u32 i, const char *word)
{
    void *to = table[i].value;
    switch (table[i].kind) {
    case FLAG: *(bool *)to = true; break;
    case NUMBER32: *(u32 *)to = (u32)number(table[i].name, word); break;
    case NUMBER64: *(u64 *)to = number(table[i].name, word); break;
    case SIGNED: *(int *)to = (int)number(table[i].name, word); break;
    case ADDRESSES:
        if (!base_addresses(word, to))
            die(1, "option %s: '%s' is not LOW:HIGH", table[i].name, word);
        break;
    case TEXT: *(const char **)to = word; break;
    case IGNORED: append(options.ignored, ARRAY_LEN(options.ignored), &options.nignored, word); break;
    case CLASS: append(options.mesgon, ARRAY_LEN(options.mesgon), &options.nmesgon, word); break;
    }
}

/* Returns the number of words used. */
static int take(const char *const *word, int left)
{
    for (u32 i = 0; i < ARRAY_LEN(table); i++) {
        if (strcmp(word[0], table[i].name) != 0)
            continue;
        bool flag = table[i].kind == FLAG;
        if (!flag && left < 2)
            die(1, "option %s needs a value", word[0]);
        store(i, flag ? NULL : word[1]);
        return flag ? 1 : 2;
    }
    die(1, "the engine does not know option %s", word[0]);
}

void options_load(int argc, const char *const *word)
{
    for (int i = 0; i < argc;) {
        if (strcmp(word[i], "-t") == 0) {
            if (i + 1 >= argc)
                die(1, "option -t needs a value");
            options.tool = word[i + 1];
            options.tool_argc = argc - i - 2;
            options.tool_argv = (const char **)word + i + 2;
            return;
        }
        i += take(word + i, argc - i);
    }
}

void options_choose_tool(bool narrow)
{
    const char *own = narrow ? options.narrow_tool : options.wide_tool;
    if (own)
        options.tool = own;
}

const char *options_of_tool(const char *name, u32 n)
{
    for (int i = 0; i < options.tool_argc; i++)
        if (strcmp(options.tool_argv[i], name) == 0 && !n--)
            return i + 1 < options.tool_argc ? options.tool_argv[i + 1] : "";
    return NULL;
}

bool options_message_class(const char *name)
{
    for (u32 i = 0; i < options.nmesgon; i++)
        if (strcmp(options.mesgon[i], name) == 0)
            return true;
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 * The command line. One table says which options there are, what they take and who uses them; help.c and manual.c
 * print it.
 * Engine options go into the boot block as words: a flag as its name, any other as name and value (sizes in plain
 * bytes), then -t TOOL and its arguments as they are. Pin's habits are kept: one dash, a flag may be followed by 0
 * or 1. */
#include "launch/options.h"

#include "base/suggest.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_injection(struct launch *l, const char *v);
static void set_exec_path(struct launch *l, const char *v);
static void set_pid(struct launch *l, const char *v);
static void set_privileged_natively(struct launch *l, const char *v);
static void set_attach_status(struct launch *l, const char *v);
static void set_progress(struct launch *l, const char *v);
static void set_error_file(struct launch *l, const char *v);
static void set_unique_error_file(struct launch *l, const char *v);
static void set_appdebug_exclude(struct launch *l, const char *v);
/* The engine opens it, too. */
static void set_logfile(struct launch *l, const char *v)
{
    (void)l;
    error_log = strdup(v);
}

/* The command is pin: what goes wrong is said as Pin says it. */
static void set_pin_log(struct launch *l, const char *v)
{
    (void)l;
    pin_log = strdup(v);
}

static void set_replay(struct launch *l, const char *v);
static void check_load_option(struct launch *l, const char *v);
static void check_range(struct launch *l, const char *v);
static void set_logfile(struct launch *l, const char *v);
static void set_pin_log(struct launch *l, const char *v);
static void set_help(struct launch *l, const char *v);
static void set_testing(struct launch *l, const char *v);
static void set_version(struct launch *l, const char *v);
static void set_narrow_tool(struct launch *l, const char *v);
static void set_wide_tool(struct launch *l, const char *v);

const struct option options[] = {
    {"-t", "TOOL", OPT_TOOL, FOR_ENGINE, NULL,
     "tool to load (a shared object, or the name of a bundled tool); the words after it up to -- are the tool's"},
    {"-t32", "TOOL", OPT_TOOL_FILE, FOR_ENGINE, set_narrow_tool,
     "the tool for IA-32 programs, instead of that of -t; the words after that are its own, too"},
    {"-t64", "TOOL", OPT_TOOL_FILE, FOR_ENGINE, set_wide_tool, "the tool for 64-bit programs, instead of that of -t"},
    {"-injection", "HOW", OPT_WORD, FOR_LAUNCHER, set_injection,
     "how to get into the program: auto (default), ptrace (also: dynamic, parent, child), inprocess (also: self)"},
    {"-follow_execv", NULL, OPT_FLAG, FOR_LAUNCHER | FOR_ENGINE, NULL,
     "instrument the programs that the program executes, too"},
    {"-privileged_natively", NULL, OPT_FLAG, FOR_LAUNCHER, set_privileged_natively,
     "run a program that is set-user-id or set-group-id, or has capabilities of its own, without the engine; else it "
     "is refused"},
    {"-pid", "PID", OPT_NUMBER, FOR_LAUNCHER, set_pid,
     "attach to a running process: returns when the tool runs in it; no program is given then"},
    {"-attach_status", NULL, OPT_FLAG, FOR_LAUNCHER, set_attach_status,
     "with -pid: say whether the process runs under Linchpin, and with which tool; exit status 0 if so"},
    {"-exec-path", "PATH", OPT_TEXT, FOR_LAUNCHER | HIDDEN, set_exec_path,
     "execute PATH; the words after -- are its whole argv"},
    {"-generation", "N", OPT_NUMBER, FOR_ENGINE | HIDDEN, NULL, "how many programs were executed before this one"},
    {"-cc_memory_size", "BYTES", OPT_BYTES, FOR_ENGINE, NULL, "limit of the code cache; K, M and G are understood"},
    {"-pin_memory_range", "LOW:HIGH", OPT_TEXT, FOR_ENGINE, check_range,
     "what tool and engine allocate is in these addresses; beyond them they stop"},
    {"-cc_memory_range", "LOW:HIGH", OPT_TEXT, FOR_ENGINE, check_range,
     "the code cache is in these addresses (default: those of -pin_memory_range)"},
    {"-pin_memory_size", "BYTES", OPT_BYTES, FOR_ENGINE, NULL,
     "limit of the memory that tool and engine allocate, without the code cache; beyond it they stop"},
    {"-trace_max_ins", "N", OPT_NUMBER, FOR_ENGINE, NULL, "longest trace, in instructions"},
    {"-region_max_bbls", "N", OPT_NUMBER, FOR_ENGINE, NULL, "longest trace, in basic blocks"},
    {"-wx", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "no page of the engine is writable and executable at once; costs time while code is new (SECURITY.md)"},
    {"-no_link", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "do not link traces: every exit goes through the dispatcher"},
    {"-no_rip_near", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "never place the cache near the program's code"},
    {"-random_flush", "N", OPT_NUMBER, FOR_ENGINE | TESTING, NULL, "flush the cache after every N traces made"},
    {"-no_clone", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "do not make copies of functions for the places that call them often"},
    {"-clone_after", "N", OPT_NUMBER, FOR_ENGINE | TESTING, NULL,
     "make them after N returns already, of every function that can be copied"},
    {"-no_variants", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "translate code that has changed anew each time"},
    {"-no_runs", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "each instruction is decoded and copied for itself"},
    {"-no_quick_decode", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "every instruction by the full decoder"},
    {"-no_quick_save", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "vector registers are saved as a whole by one instruction"},
    {"-no_large_pages", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "the engine's tables are in small pages"},
    {"-no_ahead", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "nothing is translated or linked before it is executed"},
    {"-no_join", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "traces do not end where others begin"},
    {"-no_bind", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "all registers of the program are in their places between traces"},
    {"-no_carry", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "do not keep the place of the next trace record in a register"},
    {"-no_inline", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "do not inline analysis routines: every call is a call"},
    {"-inline", "-no_inline", OPT_UNLESS, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-no_save_x87", NULL, OPT_FLAG, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-no_save_mxcsr", NULL, OPT_FLAG, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-bridge_save_x87", "-no_save_x87", OPT_UNLESS, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-bridge_save_mxcsr", "-no_save_mxcsr", OPT_UNLESS, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-bridge_set_mxcsr", NULL, OPT_FLAG, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-no_light", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "save all state around every analysis call, not only what the routine changes"},
    {"-no_partial", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "inline analysis routines as a whole or not at all"},
    {"-no_fold", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "load constant arguments of inlined analysis routines into registers"},
    {"-no_lazy", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "load all registers and flags again right after every analysis call"},
    {"-no_merge", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL, "do not add up the counters of a basic block"},
    {"-no_dead", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "save all registers and flags around analysis code, needed or not"},
    {"-no_spread", NULL, OPT_FLAG, FOR_ENGINE | TESTING, NULL,
     "do not spread a counter over several places of each thread"},
    {"-log_inline", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "say for each analysis routine how it is called, and if it is not inlined, why"},
    {"-record", "DIR", OPT_PATH, FOR_ENGINE | HIDDEN, NULL, "make a recording of the program in DIR (linchpin record)"},
    {"-replay", "DIR", OPT_PATH, FOR_LAUNCHER | FOR_ENGINE | HIDDEN, set_replay,
     "run the recording in DIR in place of the program (linchpin replay)"},
    {"-replay:show_output", NULL, OPT_FLAG, FOR_ENGINE,
     NULL, "linchpin replay: write again what the recorded program has written to standard output and error"},
    {"-stats", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "print where the time went, the engine's counters and its memory by kind at the end"},
    {"-stats_json", "PATH", OPT_PATH, FOR_ENGINE, NULL, "the same into a file, as JSON"},
    {"-progress", NULL, OPT_FLAG, FOR_LAUNCHER | FOR_ENGINE, set_progress,
     "show on a terminal how far the program is under the tool: instructions, rate, slowdown, image, cache"},
    {"-progress_every", "SECONDS", OPT_NUMBER, FOR_LAUNCHER | FOR_ENGINE, set_progress,
     "the same as a line every so many seconds, also where standard error is no terminal"},
    {"-logfile", "PATH", OPT_PATH, FOR_LAUNCHER | FOR_ENGINE, set_logfile,
     "file for the engine's messages and log; they are appended"},
    {"-unique_logfile", NULL, OPT_FLAG, FOR_ENGINE, NULL, "the log file's name gets the number of the process"},
    {"-error_file", "PATH", OPT_PATH, FOR_LAUNCHER | FOR_ENGINE, set_error_file,
     "errors of the engine, and those that the tool reports (PIN_WriteErrorMessage), go there too, as records"},
    {"-unique_error_file", NULL, OPT_FLAG, FOR_LAUNCHER | FOR_ENGINE, set_unique_error_file,
     "the name of that file gets the number of the process"},
    {"-pin_log", "PATH", OPT_PATH, FOR_LAUNCHER | FOR_ENGINE | HIDDEN, set_pin_log, ""},
    {"-mesgon", "CLASS", OPT_TEXT, FOR_ENGINE, NULL,
     "also log messages of this class: log_buffer (trace buffers); others say nothing here"},
    {"-assert_check_inline", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "an analysis routine that is inserted with IARG_CHECK_INLINE and cannot be inlined is an error"},
    {"-appdebug", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "wait for gdb before the program's first instruction, and print the command for it (also: linchpin gdb)"},
    {"-appdebug_enable", NULL, OPT_FLAG, FOR_ENGINE, NULL, "gdb may connect at any time; the program does not wait"},
    {"-appdebug_silent", NULL, OPT_FLAG, FOR_ENGINE, NULL, "do not print how to connect"},
    {"-appdebug_server_port", "PORT", OPT_NUMBER, FOR_ENGINE, NULL,
     "wait for gdb at this TCP port (default: a free one)"},
    {"-appdebug_allow_remote", NULL, OPT_FLAG, FOR_ENGINE, NULL, "gdb may connect from other machines"},
    {"-appdebug_connection", "WHERE", OPT_TEXT, FOR_ENGINE, NULL,
     "[IP]:PORT: connect to a debugger that waits there; unix:PATH: wait at a socket"},
    {"-appdebug_exclude", "NAME", OPT_TEXT, FOR_LAUNCHER | FOR_ENGINE, set_appdebug_exclude,
     "no debugger for programs with NAME as their first word (with -follow_execv; may be repeated)"},
    {"-appdebug_off", NULL, OPT_FLAG, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-appdebug_ready", "FD", OPT_NUMBER, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-appdebug_forks", NULL, OPT_FLAG, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-appdebug_inherit", "TEXT", OPT_TEXT, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-reserve_memory", "PATH", OPT_PATH, FOR_ENGINE, NULL,
     "lines with two addresses: from the first up to the second the program finds memory at its start"},
    {"-probe", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "probe mode, also where the tool starts the program with PIN_StartProgram (docs/usage.md)"},
    {"-ignored", "OPTION", OPT_TEXT, FOR_ENGINE | HIDDEN, NULL, ""},
    {"-pause_tool", "SECONDS", OPT_NUMBER, FOR_ENGINE, NULL,
     "wait when the tool is loaded, so that a debugger can be attached"},
    {"-pause", "SECONDS", OPT_NUMBER, FOR_ENGINE, NULL, "the same at the engine's start, before the tool"},
    {"-tool_load_option", "deepbind", OPT_WORD, FOR_ENGINE, check_load_option,
     "the tool's libraries prefer their own names to those that are there already"},
    {"-thread_stack_size", "KBYTES", OPT_NUMBER, FOR_ENGINE, NULL,
     "stack of each further thread for the tool's routines (default 256)"},
    {"-patience", "SECONDS", OPT_NUMBER, FOR_ENGINE, NULL,
     "say where the tool is when the program's end, or a signal of its, waits longer than this for the tool (20)"},
    {"-log", "LEVEL", OPT_NUMBER, FOR_ENGINE, NULL,
     "how much to log: 0 nothing, 1 facts of the start, 2 also every trace"},
    {"-api_calls", "DIR", OPT_PATH, FOR_ENGINE | TESTING, NULL,
     "note in DIR/TOOL which functions of the API the tool calls"},
    {"-api_spoil", "WHAT", OPT_TEXT, FOR_ENGINE | TESTING, NULL,
     "a function of the API is wrong for the tool: NAME=0, NAME=1, NAME=text; or IARG NUMBER"},
    {"-xyzzy", NULL, OPT_FLAG, FOR_LAUNCHER | HIDDEN, NULL, "accept and ignore unknown options that follow"},
    {"-help", NULL, OPT_SHOW, FOR_LAUNCHER, set_help, "this text (also: --help, -h)"},
    {"--help", NULL, OPT_SHOW, FOR_LAUNCHER | HIDDEN, set_help, ""},
    {"-h", NULL, OPT_SHOW, FOR_LAUNCHER | HIDDEN, set_help, ""},
    {"-version", NULL, OPT_SHOW, FOR_LAUNCHER, set_version, "the version"},
    {"--version", NULL, OPT_SHOW, FOR_LAUNCHER | HIDDEN, set_version, ""},
    {"-help-testing", NULL, OPT_SHOW, FOR_LAUNCHER, set_testing, "switches for testing the engine"},
};
const u32 noptions = ARRAY_LEN(options);

/* Other names for the same. */
static const struct {
    const char *name, *is;
} aliases[] = {
    {"-region_max_inss", "-trace_max_ins"},
    {"-limit_code_cache", "-cc_memory_size"},
    {"-cc_memory_size_64", "-cc_memory_size"},
};

/* Options of Pin that scripts give and that mean nothing here, because it is so anyhow or because there is no such
 * thing; with a value, or a flag. -log 1 names those that were given. */
static const struct {
    const char *name;
    bool value;
} ignored[] = {
    {"-mt", false}, {"-ifeellucky", false}, {"-slow_asserts", false}, {"-smc_strict", false}, {"-smc_support", false},
    {"-separate_memory", false}, {"-keep_threads", false},
    {"-statistic", false}, {"-detach_reattach", false},
    {"-no_absolute_32bit_probes", false}, {"-late_injection", false}, {"-debug_instrumented_processes", false},
    {"-log_server", true},
    {"-p32", true}, {"-p64", true}, {"-symbol_path", true}, {"-tool_exit_timeout", true},
    {"-pin_image_memory_range", true},
    {"-restrict_memory", true}, {"-cache_block_size", true}, {"-high_water_mark", true}, {"-comment", true},
};

static const struct {
    const char *name;
    enum injection how;
} injections[] = {
    {"auto", INJECT_AUTO},     {"ptrace", INJECT_PTRACE}, {"dynamic", INJECT_PTRACE},
    {"parent", INJECT_PTRACE}, {"child", INJECT_PTRACE},  {"inprocess", INJECT_INPROC}, {"self", INJECT_INPROC},
};

static void set_injection(struct launch *l, const char *v)
{
    for (size_t i = 0; i < ARRAY_LEN(injections); i++)
        if (strcmp(v, injections[i].name) == 0) {
            l->injection = injections[i].how;
            return;
        }
    die(1, "option -injection: '%s' is not auto, ptrace or inprocess", v);
}

static void set_exec_path(struct launch *l, const char *v)
{
    l->exec_path = v;
}

static void set_pid(struct launch *l, const char *v)
{
    l->pid = options_pid("option -pid", v);
}

static void set_privileged_natively(struct launch *l, const char *v)
{
    (void)v;
    l->privileged_natively = true;
}

/* Told to the engine as a word of its own, which programs that are followed do not get. */
static void set_appdebug_exclude(struct launch *l, const char *v)
{
    if (l->first_word && strcmp(l->first_word, v) == 0)
        boot_add_word("-appdebug_off");
}

static void set_progress(struct launch *l, const char *v)
{
    if (v && strcmp(v, "0") == 0)
        die(1, "option -progress_every needs at least one second");
    l->progress = true;
}

static void set_attach_status(struct launch *l, const char *v)
{
    (void)v;
    l->attach_status = true;
}

static void set_replay(struct launch *l, const char *v)
{
    (void)l, (void)v;
    host_without_vdso = true;
}

static void set_error_file(struct launch *l, const char *v)
{
    (void)l;
    error_file = strdup(v);
}

static void set_unique_error_file(struct launch *l, const char *v)
{
    (void)l;
    error_file_unique = !v || strcmp(v, "0") != 0;
}

static void check_load_option(struct launch *l, const char *v)
{
    (void)l;
    if (strcmp(v, "deepbind") != 0)
        die(1, "option -tool_load_option: '%s' is not deepbind", v);
}

static void check_range(struct launch *l, const char *v)
{
    struct addresses a;
    (void)l;
    if (!base_addresses(v, &a))
        die(1, "a range of addresses is LOW:HIGH, the lower one first, as 0x20000000:0x40000000; '%s' is none", v);
}

/* 1 or more */
static int whole_number(const char *for_what, const char *of_what, const char *word)
{
    char *end;
    long n = strtol(word, &end, 10);
    if (*end || end == word || n <= 0 || n > INT_MAX)
        die(1, "%s needs the number of %s, not '%s'", for_what, of_what, word);
    return (int)n;
}

int options_pid(const char *for_what, const char *word) { return whole_number(for_what, "a process", word); }
u32 options_seconds(const char *for_what, const char *word)
{
    return (u32)whole_number(for_what, "seconds to wait", word);
}

static void show_version(void)
{
    help_print(pin_log ? "Pin: pin-3.31, as linchpin " LP_VERSION " has it\nCopyright (c) the authors of Linchpin\n"
                       : "linchpin " LP_VERSION "\n");
    _exit(0);
}

static void set_version(struct launch *l, const char *v)
{
    (void)v;
    l->show = show_version;
}

static void show_help(void)
{
    help_overview();
    _exit(0);
}

static void show_testing(void)
{
    help_testing();
    _exit(0);
}

static void set_testing(struct launch *l, const char *v)
{
    (void)v;
    l->show = show_testing;
}

static void set_help(struct launch *l, const char *v)
{
    (void)v;
    l->show = show_help;
}

const struct option *options_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (option_is(aliases[i].name, name))
            name = aliases[i].is;
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        if (option_is(options[i].name, name))
            return &options[i];
    return NULL;
}

static bool is_digit_flag(const char *word) { return strcmp(word, "0") == 0 || strcmp(word, "1") == 0; }

/* Returns the next index, i: it is none of those. */
static int take_ignored(int i, int argc, char **argv)
{
    for (size_t k = 0; k < ARRAY_LEN(ignored); k++) {
        if (!option_is(ignored[k].name, argv[i]))
            continue;
        boot_add_word("-ignored");
        boot_add_word(ignored[k].name);
        bool more = i + 1 < argc && (ignored[k].value ? strcmp(argv[i + 1], "--") != 0 : is_digit_flag(argv[i + 1]));
        return i + 1 + more;
    }
    return i;
}

static const char *absolute(const struct option *o, const char *v)
{
    static char path[2 * PATH_MAX];
    if (v[0] == '/')
        return v;
    if (!getcwd(path, PATH_MAX))
        die(1, "option %s: no current directory: %s", o->name, strerror(errno));
    size_t n = strlen(path);
    base_format(path + n, sizeof path - n, "/%s", v);
    return path;
}

/* A number in any C notation, with a size suffix where the option takes bytes; written back as plain decimal. */
static const char *number(const struct option *o, const char *v, char out[24])
{
    char *end;
    errno = 0;
    u64 n = strtoull(v, &end, 0), shift = 0;
    if (o->kind == OPT_BYTES && *end) {
        const char *unit = strchr("KMG", *end & ~0x20);
        shift = unit ? 10u * (u64)(unit - "KMG" + 1) : 0;
        end += unit != NULL;
    }
    if (*end || end == v || *v == '-' || errno || (n << shift) >> shift != n)
        die(1, "option %s: '%s' is not a %s", o->name, v,
            o->kind == OPT_BYTES ? "size" : "number");
    base_format(out, 24, "%lu", n << shift);
    return out;
}

static void need_argument(const struct option *o) NORETURN;
static void need_argument(const struct option *o)
{
    static char lead[128];
    base_format(lead, sizeof lead, "[tid:%d] missing argument for %s: ", getpid(), o->name);
    pin_lead = lead;
    die(1, "option %s needs %s (see linchpin --help)", o->name, o->arg);
}

/* The option at argv[i] with its value, if it takes one: used, passed on. Returns the next index. */
static int take_option(struct launch *l, const struct option *o, int i, int argc, char **argv)
{
    const char *value = NULL;
    char digits[24];
    bool on = true;
    if (o->kind == OPT_FLAG || o->kind == OPT_UNLESS) {
        if (i + 1 < argc && is_digit_flag(argv[i + 1]))
            on = *argv[++i] == '1';
    } else if (o->kind != OPT_SHOW) {
        if (++i >= argc || strcmp(argv[i], "--") == 0 || strcmp(argv[i], "-t") == 0)
            need_argument(o);
        value = o->kind == OPT_NUMBER || o->kind == OPT_BYTES ? number(o, argv[i], digits)
                : o->kind == OPT_PATH                         ? absolute(o, argv[i])
                : o->kind == OPT_TOOL_FILE                    ? options_tool(argv[i])
                                                              : argv[i];
    }
    if (o->set && on)
        o->set(l, value);
    if (o->kind == OPT_UNLESS) {
        if (!on)
            boot_add_word(o->arg);
    } else if ((o->uses & FOR_ENGINE) && on) {
        boot_add_word(o->name);
        if (value)
            boot_add_word(value);
    }
    return i + 1;
}

/* A file, or the name of a bundled tool. Always becomes an absolute path: dlopen would look a bare name up
 * elsewhere, and programs that are followed may have another working directory. */
const char *options_tool(const char *name)
{
    static char path[PATH_MAX], relative[PATH_MAX];
    if (!strchr(name, '/') && access(name, F_OK) != 0 && strlen(name) < 256) {
        const char *dot = strrchr(name, '.');
        base_format(relative, sizeof relative, "lib/linchpin/tools/%s%s", name,
                    dot && strcmp(dot, ".so") == 0 ? "" : ".so");
        if (launcher_find(path, relative))
            return path;
        if (!pin_log) /* Pin says first what else is missing */
            tools_unknown(name);
    }
    return absolute(options_find("-t"), name);
}

static const char *kept(char copy[PATH_MAX], const char *path)
{
    base_format(copy, PATH_MAX, "%s", path);
    return copy;
}

static void set_narrow_tool(struct launch *l, const char *v)
{
    static char path[PATH_MAX];
    l->narrow_tool = kept(path, v);
}

static void set_wide_tool(struct launch *l, const char *v)
{
    static char path[PATH_MAX];
    l->wide_tool = kept(path, v);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "-help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

static int take_tool(struct launch *l, int i, int argc, char **argv)
{
    if (++i >= argc || strcmp(argv[i], "--") == 0)
        die(1, "option -t needs a tool's name or file: linchpin tools lists them");
    l->tool = options_tool(argv[i]);
    boot_add_word("-t");
    boot_add_word(l->tool);
    for (i++; i < argc && strcmp(argv[i], "--") != 0; i++) {
        l->tool_help |= asks_for_help(argv[i]);
        boot_add_word(argv[i]);
    }
    return i;
}

/* A tool tells of its options in its main, inside a process. Where no program is given it is one that does nothing. */
static void give_idle_program(struct launch *l)
{
    static char name[] = "true", *argv[] = {name, NULL};
    l->argv = argv;
    l->argc = 1;
}

static void unknown_option(const char *word) NORETURN;
static void unknown_option(const char *word)
{
    struct suggestion s = suggest_for(word);
    for (u32 i = 0; i < noptions; i++)
        if (!(options[i].uses & HIDDEN))
            suggest_try(&s, options[i].name);
    if (s.best)
        die(1, "unknown option %s: did you mean %s?", word, s.best);
    die(1, "unknown option %s (linchpin -help lists them)", word);
}

/* A word where the first option should be: the name of a command, or the program without --. */
static void stray_word(const char *word, bool first) NORETURN;
static void stray_word(const char *word, bool first)
{
    const char *command = first ? command_like(word) : NULL;
    if (command)
        die(1, "unknown command %s: did you mean linchpin %s?", word, command);
    die(1, "'%s' stands where an option should be: the program goes after -- (linchpin -help)", word);
}

/* Pin's own tests of its messages: errors that are asked for. */
static const char *provoked(const char *word)
{
    return strcmp(word, "-error") == 0 || strcmp(word, "-fatal") == 0 ? "Testing errors"
           : strcmp(word, "-assert") == 0                            ? "Testing assertions"
                                                                      : NULL;
}

/* The program's first word, and where errors go before the first one is found. */
static void look_ahead(struct launch *l, int argc, char **argv)
{
    static const char *const names[] = {"-pin_log", "-logfile", "-error_file"};
    for (int i = 1; i + 1 < argc && !l->first_word; i++)
        if (strcmp(argv[i], "--") == 0)
            l->first_word = argv[i + 1];
    for (int i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0 && strcmp(argv[i], "-t") != 0; i++) {
        if (option_is("-unique_error_file", argv[i]))
            set_unique_error_file(l, argv[i + 1]);
        for (size_t k = 0; k < ARRAY_LEN(names); k++)
            if (option_is(names[k], argv[i]) && argv[i + 1][0] != '-')
                options_find(names[k])->set(l, absolute(options_find(names[k]), argv[i + 1]));
    }
}

void options_parse(struct launch *l, int argc, char **argv)
{
    look_ahead(l, argc, argv);
    bool lenient = false;
    int i = 1, next;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        const struct option *o = options_find(argv[i]);
        if (o && o->kind == OPT_TOOL) {
            i = take_tool(l, i, argc, argv);
        } else if (o) {
            lenient |= strcmp(o->name, "-xyzzy") == 0;
            i = take_option(l, o, i, argc, argv);
        } else if ((next = take_ignored(i, argc, argv)) != i) {
            i = next;
        } else if (lenient && (l->provoke = provoked(argv[i]))) {
            i++;
        } else if (argv[i][0] == '-' && lenient) {
            boot_add_word("-ignored");
            boot_add_word(argv[i]);
            for (i++; i < argc && argv[i][0] != '-';) /* the option's value, if it has one */
                i++;
        } else if (argv[i][0] == '-') {
            unknown_option(argv[i]);
        } else {
            stray_word(argv[i], i == 1);
        }
    }
    if (l->show)
        l->show();
    if (l->provoke)
        die(1, "%s", l->provoke);
    if (l->progress && !l->tool && !l->narrow_tool && !l->wide_tool)
        die(1, "option -progress counts instructions beside a tool: give one with -t (inscount)");
    if (l->attach_status && !l->pid)
        die(1, "option -attach_status needs -pid PID");
    if (l->pid && i + 1 < argc)
        die(1, "option -pid attaches to a process that runs already: no program can be given");
    if (l->pid)
        return;
    if (i + 1 >= argc && l->tool_help) {
        give_idle_program(l);
        return;
    }
    pin_lead = "Missing application name: ";
    if (i + 1 >= argc)
        die(1, "no program given: linchpin [options] [-t TOOL [tool options]] -- PROGRAM [arguments]");
    pin_lead = "";
    l->argv = argv + i + 1;
    l->argc = argc - i - 1;
}

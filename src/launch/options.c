/* SPDX-License-Identifier: Apache-2.0
 * The command line. One table says which options there are, what they take, who uses them, and what -help prints.
 * Engine options go into the boot block as words: a flag as its name, any other as name and value (sizes in plain
 * bytes), then -t TOOL and its arguments as they are. Pin's habits are kept: one dash, a flag may be followed by 0
 * or 1. */
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind {
    OPT_FLAG,   /* alone, or with 0 or 1 */
    OPT_TEXT,
    OPT_PATH,   /* made absolute, because programs that are followed may have another working directory */
    OPT_NUMBER,
    OPT_BYTES,  /* K, M, G */
    OPT_WORD,   /* checked by set */
    OPT_TOOL,   /* takes the rest up to -- */
    OPT_SHOW,   /* prints and exits */
};
enum { FOR_LAUNCHER = 1, FOR_ENGINE = 2, HIDDEN = 4 };

struct option {
    const char *name, *arg;
    enum kind kind;
    unsigned uses;
    void (*set)(struct launch *l, const char *value); /* launcher's own use */
    const char *help;
};

static void set_injection(struct launch *l, const char *v);
static void set_exec_path(struct launch *l, const char *v);
static void set_pid(struct launch *l, const char *v);
static void set_privileged_natively(struct launch *l, const char *v);
static void set_attach_status(struct launch *l, const char *v);
static void show_help(struct launch *l, const char *v);
static void show_version(struct launch *l, const char *v);

static const struct option options[] = {
    {"-t", "TOOL", OPT_TOOL, FOR_ENGINE, NULL,
     "tool to load (a shared object, or the name of a bundled tool); the words after it up to -- are the tool's"},
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
    {"-cc_memory_size", "BYTES", OPT_BYTES, FOR_ENGINE, NULL, "limit of the code cache; K, M and G are understood"},
    {"-pin_memory_size", "BYTES", OPT_BYTES, FOR_ENGINE, NULL,
     "limit of the memory that tool and engine allocate, without the code cache; beyond it they stop"},
    {"-trace_max_ins", "N", OPT_NUMBER, FOR_ENGINE, NULL, "longest trace, in instructions"},
    {"-wx", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "no page of the engine is writable and executable at once; costs time while code is new (SECURITY.md)"},
    {"-no_link", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "do not link traces: every exit goes through the dispatcher (testing)"},
    {"-no_rip_near", NULL, OPT_FLAG, FOR_ENGINE, NULL, "never place the cache near the program's code (testing)"},
    {"-random_flush", "N", OPT_NUMBER, FOR_ENGINE, NULL, "flush the cache after every N traces made (testing)"},
    {"-no_clone", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "do not make copies of functions for the places that call them often (testing)"},
    {"-clone_after", "N", OPT_NUMBER, FOR_ENGINE, NULL,
     "make them after N returns already, of every function that can be copied (testing)"},
    {"-no_variants", NULL, OPT_FLAG, FOR_ENGINE, NULL, "translate code that has changed anew each time (testing)"},
    {"-no_join", NULL, OPT_FLAG, FOR_ENGINE, NULL, "traces do not end where others begin (testing)"},
    {"-no_bind", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "all registers of the program are in their places between traces (testing)"},
    {"-no_carry", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "do not keep the place of the next trace record in a register (testing)"},
    {"-no_inline", NULL, OPT_FLAG, FOR_ENGINE, NULL, "do not inline analysis routines: every call is a call (testing)"},
    {"-no_light", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "save all state around every analysis call, not only what the routine changes (testing)"},
    {"-no_partial", NULL, OPT_FLAG, FOR_ENGINE, NULL, "inline analysis routines as a whole or not at all (testing)"},
    {"-no_fold", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "load constant arguments of inlined analysis routines into registers (testing)"},
    {"-no_lazy", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "load all registers and flags again right after every analysis call (testing)"},
    {"-no_merge", NULL, OPT_FLAG, FOR_ENGINE, NULL, "do not add up the counters of a basic block (testing)"},
    {"-no_dead", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "save all registers and flags around analysis code, needed or not (testing)"},
    {"-no_spread", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "do not spread a counter over several places of each thread (testing)"},
    {"-log_inline", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "say for each analysis routine how it is called, and if it is not inlined, why"},
    {"-stats", NULL, OPT_FLAG, FOR_ENGINE, NULL,
     "print where the time went, the engine's counters and its memory by kind at the end"},
    {"-stats_json", "PATH", OPT_PATH, FOR_ENGINE, NULL, "the same into a file, as JSON"},
    {"-logfile", "PATH", OPT_PATH, FOR_ENGINE, NULL, "file for the engine's messages and log; they are appended"},
    {"-log", "LEVEL", OPT_NUMBER, FOR_ENGINE, NULL,
     "how much to log: 0 nothing, 1 facts of the start, 2 also every trace"},
    {"-api_calls", "DIR", OPT_PATH, FOR_ENGINE, NULL,
     "note in DIR/TOOL which functions of the API the tool calls (testing)"},
    {"-xyzzy", NULL, OPT_FLAG, FOR_LAUNCHER | HIDDEN, NULL, "accept and ignore unknown options that follow"},
    {"-help", NULL, OPT_SHOW, FOR_LAUNCHER, show_help, "this text (also: --help, -h)"},
    {"--help", NULL, OPT_SHOW, FOR_LAUNCHER | HIDDEN, show_help, ""},
    {"-h", NULL, OPT_SHOW, FOR_LAUNCHER | HIDDEN, show_help, ""},
    {"-version", NULL, OPT_SHOW, FOR_LAUNCHER, show_version, "the version"},
    {"--version", NULL, OPT_SHOW, FOR_LAUNCHER | HIDDEN, show_version, ""},
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
    die(1, "option -injection: '%s' is not auto, ptrace or inprocess (see linchpin --help)", v);
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

static void set_attach_status(struct launch *l, const char *v)
{
    (void)v;
    l->attach_status = true;
}

/* 1 or more */
static int whole_number(const char *for_what, const char *of_what, const char *word)
{
    char *end;
    long n = strtol(word, &end, 10);
    if (*end || end == word || n <= 0 || n > INT_MAX)
        die(1, "%s needs the number of %s, not '%s' (see linchpin --help)", for_what, of_what, word);
    return (int)n;
}

int options_pid(const char *for_what, const char *word) { return whole_number(for_what, "a process", word); }
u32 options_seconds(const char *for_what, const char *word)
{
    return (u32)whole_number(for_what, "seconds to wait", word);
}

static void print(const char *s)
{
    for (size_t left = strlen(s); left;) {
        ssize_t n = write(STDOUT_FILENO, s, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            _exit(1);
        s += n;
        left -= (size_t)n;
    }
}

static void show_version(struct launch *l, const char *v)
{
    (void)l, (void)v;
    print("linchpin " LP_VERSION "\n");
    _exit(0);
}

static void show_help(struct launch *l, const char *v)
{
    (void)l, (void)v;
    print("usage: linchpin [options] [-t TOOL [tool options]] -- PROGRAM [arguments]\n"
          "       linchpin [options] -pid PID [-t TOOL [tool options]]\n"
          "       linchpin detach PID [SECONDS]\n"
          "       linchpin new NAME\n"
          "       linchpin cc TOOL.cpp [-o TOOL.so] [compiler options]\n"
          "       linchpin doctor\n\n"
          "Runs PROGRAM under instrumentation, or puts the tool into a running process; detach takes it out again. new "
          "writes a first tool, cc builds one, doctor tells what this machine allows.\n\noptions:\n");
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        const struct option *o = &options[i];
        char left[64], line[512];
        if (o->uses & HIDDEN)
            continue;
        base_format(left, sizeof left, "%s%s%s", o->name,
                    o->arg                ? " "
                    : o->kind == OPT_FLAG ? " [0|1]"
                                          : "",
                    o->arg ? o->arg : "");
        base_format(line, sizeof line, "  %-24s %s\n", left, o->help);
        print(line);
    }
    _exit(0);
}

static const struct option *find_option(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        if (strcmp(name, options[i].name) == 0)
            return &options[i];
    return NULL;
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
        die(1, "option %s: '%s' is not a %s (see linchpin --help)", o->name, v,
            o->kind == OPT_BYTES ? "size" : "number");
    base_format(out, 24, "%lu", n << shift);
    return out;
}

/* The option at argv[i] with its value, if it takes one: used, passed on. Returns the next index. */
static int take_option(struct launch *l, const struct option *o, int i, int argc, char **argv)
{
    const char *value = NULL;
    char digits[24];
    bool on = true;
    if (o->kind == OPT_FLAG) {
        if (i + 1 < argc && (strcmp(argv[i + 1], "0") == 0 || strcmp(argv[i + 1], "1") == 0))
            on = *argv[++i] == '1';
    } else if (o->kind != OPT_SHOW) {
        if (++i >= argc || strcmp(argv[i], "--") == 0)
            die(1, "option %s needs %s (see linchpin --help)", o->name, o->arg);
        value = o->kind == OPT_NUMBER || o->kind == OPT_BYTES ? number(o, argv[i], digits)
                : o->kind == OPT_PATH                         ? absolute(o, argv[i])
                                                              : argv[i];
    }
    if (o->set)
        o->set(l, value);
    if ((o->uses & FOR_ENGINE) && on) {
        boot_add_word(o->name);
        if (value)
            boot_add_word(value);
    }
    return i + 1;
}

/* A file, or the name of a bundled tool. Always becomes an absolute path: dlopen would look a bare name up
 * elsewhere, and programs that are followed may have another working directory. */
static const char *find_tool(const char *name)
{
    static char path[PATH_MAX], relative[PATH_MAX];
    if (!strchr(name, '/') && access(name, F_OK) != 0 && strlen(name) < 256) {
        const char *dot = strrchr(name, '.');
        base_format(relative, sizeof relative, "lib/linchpin/tools/%s%s", name,
                    dot && strcmp(dot, ".so") == 0 ? "" : ".so");
        if (launcher_find(path, relative))
            return path;
    }
    return absolute(find_option("-t"), name);
}

static int take_tool(struct launch *l, int i, int argc, char **argv)
{
    if (++i >= argc || strcmp(argv[i], "--") == 0)
        die(1, "option -t needs the tool's file (see linchpin --help)");
    l->tool = find_tool(argv[i]);
    boot_add_word("-t");
    boot_add_word(l->tool);
    for (i++; i < argc && strcmp(argv[i], "--") != 0; i++)
        boot_add_word(argv[i]);
    return i;
}

void options_parse(struct launch *l, int argc, char **argv)
{
    bool lenient = false;
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        const struct option *o = find_option(argv[i]);
        if (o && o->kind == OPT_TOOL) {
            i = take_tool(l, i, argc, argv);
        } else if (o) {
            lenient |= strcmp(o->name, "-xyzzy") == 0;
            i = take_option(l, o, i, argc, argv);
        } else if (argv[i][0] == '-' && lenient) {
            for (i++; i < argc && argv[i][0] != '-';) /* the option's value, if it has one */
                i++;
        } else if (argv[i][0] == '-') {
            die(1, "unknown option %s (see linchpin --help)", argv[i]);
        } else {
            die(1, "'%s' stands where an option should be: the program goes after -- (see linchpin --help)", argv[i]);
        }
    }
    if (l->attach_status && !l->pid)
        die(1, "option -attach_status needs -pid PID (see linchpin --help)");
    if (l->pid && i + 1 < argc)
        die(1, "option -pid attaches to a process that runs already: no program can be given");
    if (l->pid)
        return;
    if (i + 1 >= argc)
        die(1, "no program given: linchpin [options] [-t TOOL [tool options]] -- PROGRAM [arguments]");
    l->argv = argv + i + 1;
    l->argc = argc - i - 1;
}

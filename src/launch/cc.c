/* SPDX-License-Identifier: Apache-2.0
 * linchpin cc: builds a tool. Becomes the C or C++ compiler with what a tool needs before the user's own words,
 * which therefore win. Nothing is compiled or checked here; the compiler's messages and exit status are the user's.
 * Also finds what lies beside the launcher. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what the words say ------------------------------------------------------------------------------------------- */
enum language { LANG_NONE, LANG_C, LANG_CXX };

struct job {
    enum language language;
    const char *first_source;
    bool links;      /* no -c, -S, -E */
    bool has_output, has_standard, has_compat;
    bool narrow;     /* -m32: for IA-32 programs */
};

static const struct {
    const char *suffix;
    enum language language;
} suffixes[] = {{".c", LANG_C}, {".cpp", LANG_CXX}, {".cc", LANG_CXX}, {".cxx", LANG_CXX}, {".C", LANG_CXX},
    {".cp", LANG_CXX}, {".c++", LANG_CXX}, {".CPP", LANG_CXX}};

static enum language language_of(const char *word)
{
    const char *dot = strrchr(word, '.');
    if (word[0] == '-' || !dot)
        return LANG_NONE;
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
        if (strcmp(dot, suffixes[i].suffix) == 0)
            return suffixes[i].language;
    return LANG_NONE;
}

/* Options whose value is a word of its own and may look like a source. */
static bool takes_value(const char *word)
{
    static const char *const list[] = {"-o", "-I", "-L", "-D", "-U", "-include", "-isystem", "-x", "-MF", "-MT", "-MQ",
        "-Xlinker", "-T", "-u"};
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static void read_words(struct job *job, int argc, char **argv)
{
    job->links = true;
    for (int i = 0; i < argc; i++) {
        const char *w = argv[i];
        if (strcmp(w, "-c") == 0 || strcmp(w, "-S") == 0 || strcmp(w, "-E") == 0)
            job->links = false;
        job->has_output |= strncmp(w, "-o", 2) == 0;
        job->has_standard |= strncmp(w, "-std=", 5) == 0;
        job->has_compat |= strstr(w, "PIN_2_COMPAT") != NULL;
        if (!strcmp(w, "-m32")) {
            job->narrow = true;
            continue;
        }
        if (takes_value(w)) {
            i++;
            continue;
        }
        enum language l = language_of(w);
        if (l != LANG_NONE && !job->first_source)
            job->first_source = w;
        if (l > job->language)
            job->language = l;
    }
}

/* --- the command -------------------------------------------------------------------------------------------------- */
#define MAX_WORDS 4096
static const char *words[MAX_WORDS + 1];
static int nwords;

static void add(const char *word)
{
    if (nwords == MAX_WORDS)
        die(1, "cc: more than %d words", MAX_WORDS);
    words[nwords++] = word;
}

/* CXX or CC from the environment (a command with words, as make takes it), else the first that is there. */
static void add_compiler(enum language language)
{
    static char command[PATH_MAX];
    static const char *const cxx[] = {"g++", "clang++", "c++", NULL}, *const cc[] = {"gcc", "clang", "cc", NULL};
    const char *env = getenv(language == LANG_CXX ? "CXX" : "CC");
    if (env && env[strspn(env, " ")]) {
        base_format(command, sizeof command, "%s", env);
        for (char *w = strtok(command, " "); w; w = strtok(NULL, " "))
            add(w);
        return;
    }
    for (const char *const *name = language == LANG_CXX ? cxx : cc; *name; name++)
        if (program_in_path(*name)) {
            add(*name);
            return;
        }
    die(1, "cc: no %s compiler found (%s): install g++, or set %s", language == LANG_CXX ? "C++" : "C",
        language == LANG_CXX ? "g++, clang++, c++" : "gcc, clang, cc", language == LANG_CXX ? "CXX" : "CC");
}

/* Where pin.H is: installed, or in the source tree that the launcher was built in. */
static void add_headers(const struct job *job)
{
    static char dir[PATH_MAX], option[PATH_MAX + 2], extras[PATH_MAX + 32], parts[PATH_MAX + 32],
        numbers[PATH_MAX + 32], script[PATH_MAX + 64];
    static const char *const places[] = {"include/linchpin-pin", "../include"};
    size_t i = 0;
    for (; i < ARRAY_LEN(places); i++) {
        char probe[64];
        base_format(probe, sizeof probe, "%s/pin.H", places[i]);
        if (launcher_find(dir, probe))
            break;
    }
    if (i == ARRAY_LEN(places))
        die(1, "cc: pin.H is missing (include/linchpin-pin beside the bin directory of linchpin)");
    *strrchr(dir, '/') = '\0';
    base_format(option, sizeof option, "-I%s", dir);
    add(option);
    /* After the user's folders, who may have an InstLib of their own. */
    base_format(extras, sizeof extras, "-idirafter%s/extras", dir);
    add(extras);
    base_format(parts, sizeof parts, "-idirafter%s/components", dir);
    add(parts);
    if (job->narrow) {
        base_format(numbers, sizeof numbers, "-I%s/ia32", dir);
        add(numbers);
    }
    if (job->links) {
        base_format(script, sizeof script, "-Wl,--version-script=%s/linchpin/tool.map", dir);
        add(script);
    }
}

/* The flags with which Pin's kit builds tools, without those that turn off exceptions and RTTI, which work here. The
 * engine inlines analysis routines, so nothing is put into them that they do not need. With -g messages about
 * mistakes of the tool have the line. */
static const char *const always[] = {"-O2", "-g", "-fPIC", "-fno-strict-aliasing", "-fno-stack-protector",
    "-fcf-protection=none", "-DTARGET_LINUX", "-D__PIN__=1", "-DBIGARRAY_MULTIPLIER=1", "-DUSING_XED"};
static const char *const wide_flags[] = {"-DTARGET_IA32E", "-DHOST_IA32E"};
/* 64-bit code with the types of IA-32; syscall() takes the numbers that these programs have (include/ia32). */
static const char *const narrow_flags[] = {"-DTARGET_IA32", "-DHOST_IA32", "-Dsyscall=lp_syscall_ia32"};
static const char *const link_flags[] = {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,noexecstack"};
static const char *const compat_flags[] = {"-DPIN_2_COMPAT", "-Wno-narrowing", "-Wno-deprecated"};

static bool wants_compat(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (takes_value(argv[i]))
            i++;
        else if (language_of(argv[i]) == LANG_CXX && compat_needed(argv[i]))
            return true;
    }
    return false;
}

static void add_output(const struct job *job)
{
    static char name[PATH_MAX];
    if (!job->links || job->has_output || !job->first_source)
        return;
    const char *base = strrchr(job->first_source, '/');
    base_format(name, sizeof name - 4, "%s", base ? base + 1 : job->first_source);
    char *dot = strrchr(name, '.');
    memcpy(dot, ".so", 4);
    add("-o");
    add(name);
}

static void add_all(const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(list[i]);
}

static void add_compat(bool has_standard)
{
    if (!has_standard)
        add("-std=gnu++11"); /* later standards have names in std that old sources use themselves */
    add_all(compat_flags, ARRAY_LEN(compat_flags));
}

/* For makefiles that call the compiler themselves: only prints what these sources need beyond TOOL_CXXFLAGS. */
static int print_compat(int argc, char **argv)
{
    static char line[256];
    int n = 0;
    if (wants_compat(argc, argv))
        add_compat(false);
    for (int i = 0; i < nwords; i++)
        n += base_format(line + n, sizeof line - (size_t)n, "%s%c", words[i], i + 1 < nwords ? ' ' : '\n');
    return write(STDOUT_FILENO, line, (size_t)n) == n ? 0 : 1;
}

int cc_main(int argc, char **argv)
{
    struct job job = {0};
    if (argc && strcmp(argv[0], "--compat-flags") == 0)
        return print_compat(argc - 1, argv + 1);
    read_words(&job, argc, argv);
    if (argc == 0)
        die(1, "cc: linchpin cc TOOL.cpp [-o TOOL.so] [compiler options]");
    add_compiler(job.language == LANG_C ? LANG_C : LANG_CXX);
    add_all(always, ARRAY_LEN(always));
    if (job.narrow)
        add_all(narrow_flags, ARRAY_LEN(narrow_flags));
    else
        add_all(wide_flags, ARRAY_LEN(wide_flags));
    if (job.links)
        add_all(link_flags, ARRAY_LEN(link_flags));
    add_headers(&job);
    if (!job.has_compat && wants_compat(argc, argv))
        add_compat(job.has_standard);
    add_output(&job);
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "-m32") != 0)
            add(argv[i]);
    words[nwords] = NULL;
    if (getenv("V"))
        for (int i = 0; i < nwords; i++)
            msg("%s", words[i]);
    execvp(words[0], (char *const *)words);
    die(errno == ENOENT ? 127 : 126, "cc: %s: %s", words[0], strerror(errno));
}

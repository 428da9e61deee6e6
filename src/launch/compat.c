/* SPDX-License-Identifier: Apache-2.0
 * Does a source need -DPIN_2_COMPAT? Pin 2's pin.H opened namespace std and had names that are gone. A source shows
 * it by bare names of std with no using for them, or by an old name. Reads words only, outside comments and texts,
 * in the source and in the headers that it includes from its own directory. Rule A26. */
#include "launch/launch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name of std counts only where what follows makes it a use as such: "" anything. */
static const struct {
    const char *name, *next;
} std_names[] = {{"cerr", ""}, {"cout", ""}, {"endl", ""}, {"ofstream", ""}, {"ifstream", ""}, {"ostream", ""},
    {"stringstream", ""}, {"ostringstream", ""},
    {"string", "a&*>:("}, {"vector", "<"}, {"map", "<"}, {"set", "<"}, {"list", "<"}, {"pair", "<"}};
static const char *const old_names[] = {"InitLock", "GetLock", "ReleaseLock", "GetVmLock", "ReleaseVmLock",
    "PIN_StartProbedProgram", "IARG_SYSCALL_ARG0", "IARG_SYSCALL_ARG1", "IARG_G_RESULT0", "IARG_G_ARG0_CALLEE",
    "IARG_G_ARG1_CALLEE", "IARG_G_ARG2_CALLEE", "IARG_G_ARG0_CALLER", "IARG_G_ARG1_CALLER", "SetAddress0x"};

#define MAX_DEPTH 8

struct scan {
    const char *at, *end;
    const char *path;  /* of the file being read */
    int depth;
    char last[3][64];  /* the words before the current one, newest first; "" is none */
    char before;       /* the sign before the current word: ':' for ::, '.' also for -> */
    bool opened;       /* using namespace std */
    bool declared[ARRAY_LEN(std_names)];
    bool bare;         /* a name of std with no using before it */
    bool old;
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool starts(const struct scan *s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s->end - s->at) >= n && memcmp(s->at, text, n) == 0;
}

static void skip_past(struct scan *s, const char *text)
{
    while (s->at < s->end && !starts(s, text))
        s->at++;
    s->at += s->at < s->end ? strlen(text) : 0;
}

static void skip_quoted(struct scan *s)
{
    for (char q = *s->at++; s->at < s->end && *s->at != q && *s->at != '\n'; s->at++)
        if (*s->at == '\\')
            s->at++;
    s->at += s->at < s->end;
}

/* The next sign after the current word, 'a' for a letter, 0 at the end. */
static char next_sign(const struct scan *s)
{
    const char *p = s->at;
    while (p < s->end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p == s->end ? 0 : is_word(*p) ? 'a' : *p;
}

static void take_std_name(struct scan *s, const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(std_names); i++) {
        if (strcmp(word, std_names[i].name) != 0)
            continue;
        char next = next_sign(s);
        if (s->before == ':')
            s->declared[i] |= strcmp(s->last[0], "std") == 0 && strcmp(s->last[1], "using") == 0;
        else if (s->before != '.' && next && (!*std_names[i].next || strchr(std_names[i].next, next)))
            s->bare |= !s->opened && !s->declared[i];
    }
}

static void take_word(struct scan *s)
{
    const char *from = s->at;
    char word[64] = "";
    while (s->at < s->end && is_word(*s->at))
        s->at++;
    size_t n = (size_t)(s->at - from);
    if (n < sizeof word)
        memcpy(word, from, n);
    s->opened |= strcmp(word, "std") == 0 && strcmp(s->last[0], "namespace") == 0 && strcmp(s->last[1], "using") == 0;
    take_std_name(s, word);
    for (size_t i = 0; i < ARRAY_LEN(old_names) && s->before != '.' && s->before != ':'; i++)
        s->old |= strcmp(word, old_names[i]) == 0;
    memmove(s->last[1], s->last[0], sizeof s->last - sizeof s->last[0]);
    memcpy(s->last[0], word, sizeof word);
    s->before = 0;
}

static void scan_file(struct scan *s, const char *path);

/* #include "name": reads it, too, if it lies beside the file. */
static void take_include(struct scan *s)
{
    char path[PATH_MAX];
    const char *line = s->at + strlen("#include");
    skip_past(s, "\n");
    while (line < s->at && (*line == ' ' || *line == '\t'))
        line++;
    const char *end = line < s->at && *line == '"' ? memchr(line + 1, '"', (size_t)(s->at - line - 1)) : NULL;
    const char *slash = strrchr(s->path, '/');
    size_t dir = slash ? (size_t)(slash + 1 - s->path) : 0, name = end ? (size_t)(end - line - 1) : 0;
    if (!name || dir + name >= sizeof path || s->depth == MAX_DEPTH)
        return;
    memcpy(path, s->path, dir);
    memcpy(path + dir, line + 1, name);
    path[dir + name] = '\0';
    struct scan outer = *s;
    s->depth++;
    scan_file(s, path);
    s->at = outer.at;
    s->end = outer.end;
    s->path = outer.path;
    s->depth = outer.depth;
}

static void scan_text(struct scan *s)
{
    while (s->at < s->end) {
        char c = *s->at;
        if (starts(s, "//"))
            skip_past(s, "\n");
        else if (starts(s, "/*"))
            skip_past(s, "*/");
        else if (starts(s, "#include"))
            take_include(s);
        else if (c == '"' || c == '\'')
            skip_quoted(s);
        else if (is_word(c))
            take_word(s);
        else {
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
                s->before = c == '>' && s->at[-1] == '-' ? '.' : c;
            s->at++;
        }
    }
}

/* A file that cannot be read is the compiler's to complain about. */
static void scan_file(struct scan *s, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    bool there = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    char *text = there ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (text == MAP_FAILED)
        return;
    s->at = text;
    s->end = text + st.st_size;
    s->path = path;
    s->before = 0;
    scan_text(s);
    munmap(text, (size_t)st.st_size);
}

bool compat_needed(const char *path)
{
    struct scan s = {0};
    scan_file(&s, path);
    return s.old || s.bare;
}

/* SPDX-License-Identifier: Apache-2.0
 * Finds the program as execvp would, also the shell for a text without a #! line, follows #! lines as the kernel would,
 * and says in words, with a shell's exit status, why a file cannot run: 127 not found, 126 found but not runnable. Maps
 * and executes nothing. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHELL "/bin/sh"
enum { NOT_FOUND = 127, NOT_RUNNABLE = 126 };

static void copy_path(char to[PATH_MAX], const char *from)
{
    size_t n = strlen(from);
    if (n >= PATH_MAX)
        die(NOT_RUNNABLE, "%s: %s", from, strerror(ENAMETOOLONG));
    memcpy(to, from, n + 1);
}

/* Could execve take it, as far as the file system goes? 0 or errno. */
static int check_file(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        return EACCES;
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? errno : 0;
}

/* execvp's search: the first entry that can be executed; EACCES is remembered and the search goes on. */
static int search_path(char out[PATH_MAX], const char *name)
{
    const char *dirs = getenv("PATH");
    int err = ENOENT;
    for (const char *d = dirs ? dirs : "/bin:/usr/bin";; d++) {
        size_t n = strcspn(d, ":");
        if (n + strlen(name) + 2 <= PATH_MAX) {
            base_format(out, PATH_MAX, "%s", d);
            out[n] = '\0';
            base_format(out + n, PATH_MAX - n, "%s%s", n ? "/" : "", name);
            int e = check_file(out);
            if (!e)
                return 0;
            if (e == EACCES)
                err = e;
        }
        d += n;
        if (!*d)
            return err;
    }
}

bool program_in_path(const char *name)
{
    static char path[PATH_MAX];
    return search_path(path, name) == 0;
}

static void find_program(struct program *p, const struct launch *l)
{
    const char *name = l->exec_path ? l->exec_path : l->argv[0];
    int err;
    if (!*name || (!l->exec_path && !strchr(name, '/'))) {
        err = *name ? search_path(p->path, name) : ENOENT;
        if (err == ENOENT)
            die(NOT_FOUND, "%s: command not found", name);
    } else {
        copy_path(p->path, name);
        err = check_file(name);
    }
    if (err)
        die(err == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "%s: %s", name, strerror(err));
}

/* Cuts the line as the kernel does: its first word, and the rest as one word. False: it names no interpreter. */
static bool cut_line(char *line, ssize_t bytes, char **interp, char **arg)
{
    char *end = memchr(line, '\n', (size_t)bytes);
    if (!end && bytes == 256) { /* the line was cut off: it is good only if the interpreter's name is whole */
        char *name = line + 2 + strspn(line + 2, " \t");
        if (!name[strcspn(name, " \t")])
            return false;
    }
    if (!end)
        end = line + bytes;
    while (end > line + 2 && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    *interp = line + 2 + strspn(line + 2, " \t");
    char *stop = *interp + strcspn(*interp, " \t");
    *arg = stop + strspn(stop, " \t");
    if (!**arg)
        *arg = NULL;
    *stop = '\0';
    return **interp;
}

/* argv becomes interp [arg] script old-argv[1..]. The script is the program itself or, for a script's interpreter
 * that is a script too, that interpreter, which is the first word already. */
static void push_words(struct program *p, const char *interp, const char *arg)
{
    if (!p->nhead)
        p->head[p->nhead++] = p->path;
    int more = arg ? 2 : 1;
    memmove(p->head + more, p->head, (size_t)p->nhead * sizeof p->head[0]);
    p->head[0] = interp;
    if (arg)
        p->head[1] = arg;
    p->nhead += more;
}

/* Handles a #! line in p->file: its words go before the arguments, and p->file becomes the interpreter. False: there
 * is no #! line. */
static bool follow_script(struct program *p, int depth)
{
    char line[257] = {0}, *interp, *arg;
    int fd = open(p->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        die(NOT_RUNNABLE, "%s: cannot be read (%s), so it cannot be instrumented", p->file, strerror(errno));
    ssize_t n = read(fd, line, 256);
    close(fd);
    if (n < 2 || line[0] != '#' || line[1] != '!')
        return false;
    if (depth == SCRIPT_DEPTH)
        die(NOT_RUNNABLE, "%s: too many levels of #! interpreters", p->path);
    if (!cut_line(line, n, &interp, &arg))
        die(NOT_RUNNABLE, "%s: its #! line names no interpreter", p->file);
    int err = check_file(interp);
    if (err)
        die(NOT_RUNNABLE, "%s: its #! line names the interpreter %s: %s", p->file, interp, strerror(err));
    memcpy(p->lines[depth], line, sizeof p->lines[depth]);
    push_words(p, p->lines[depth] + (interp - line), arg ? p->lines[depth] + (arg - line) : NULL);
    copy_path(p->file, interp);
    return true;
}

static void check_elf(struct elf_image *im, const char *path, const struct program *p, bool is_interp)
{
    const char *why = "";
    char who[PATH_MAX + 64];
    base_format(who, sizeof who, is_interp ? "%s: its interpreter %s" : "%s", is_interp ? p->file : path, path);
    switch (elf_read(im, path, &why)) {
    case ELF_OK:
        return;
    case ELF_UNREADABLE:
        if (errno == ENOENT || errno == ENOTDIR)
            die(NOT_RUNNABLE, "%s is missing", who);
        die(NOT_RUNNABLE, "%s: cannot be read (%s), so it cannot be instrumented", who, strerror(errno));
    case ELF_NOT_ELF:
        die(NOT_RUNNABLE, "%s: wrong format: neither an ELF program nor a script", who);
    case ELF_X32:
        die(NOT_RUNNABLE, "%s: x32 programs are not supported", who);
    case ELF_OTHER_MACHINE: {
        const u8 *m = (const u8 *)&im->eh.e_machine;
        u32 machine = im->eh.e_ident[EI_DATA] == ELFDATA2MSB ? (u32)(m[0] << 8 | m[1]) : im->eh.e_machine;
        die(NOT_RUNNABLE, "%s is %s program, this is " MACHINE_A_NAME " machine", who, elf_machine_name(machine));
    }
    case ELF_OTHER_TYPE:
        die(NOT_RUNNABLE, "%s is %s, not a program", who,
            im->eh.e_type == ET_REL    ? "an object file"
            : im->eh.e_type == ET_CORE ? "a core file"
                                       : "an ELF file of unknown type");
    case ELF_CORRUPT:
        die(NOT_RUNNABLE, "%s: damaged ELF file: %s", who, why);
    }
}

/* Is it a text, for which execve has no format? A file with a zero byte in its first line is none, as for a shell. */
static bool is_text(const char *file)
{
    char head[256];
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    const char *line = n > 0 ? memchr(head, '\n', (size_t)n) : NULL;
    return n >= 0 && (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0) &&
           !memchr(head, 0, (size_t)(line ? line - head : n));
}

/* What execvp does when execve has no format for a file: the shell runs it. */
static void use_shell(struct program *p)
{
    static char name[PATH_MAX], shell[] = SHELL;
    u64 words = 0;
    while (p->argv[words])
        words++;
    char **argv = host_map_own((words + 2) * sizeof *argv);
    copy_path(name, p->path);
    copy_path(p->path, SHELL);
    argv[0] = shell;
    argv[1] = name;
    memcpy(argv + 2, p->argv + 1, words * sizeof *argv); /* the NULL, too */
    p->argv = argv;
    p->nhead = 0;
}

static void find_format(struct program *p)
{
    copy_path(p->file, p->path);
    for (int depth = 0; follow_script(p, depth); depth++)
        ;
}

void program_resolve(struct program *p, const struct launch *l)
{
    p->argv = l->argv;
    find_program(p, l);
    find_format(p);
    if (!l->exec_path && is_text(p->file)) {
        use_shell(p);
        find_format(p);
    }
    check_elf(&p->elf, p->file, p, false);
    if (p->elf.interp[0])
        check_elf(&p->interp, p->elf.interp, p, true);
    if (p->elf.interp[0] && p->interp.narrow != p->elf.narrow)
        die(NOT_RUNNABLE, "%s: its interpreter %s is of another word size", p->file, p->elf.interp);
}

void program_exec_failed(const struct program *p, int err)
{
    if (err == ENOEXEC)
        die(NOT_RUNNABLE, "%s: the kernel does not take it for a program (wrong format)", p->path);
    if (err == E2BIG)
        die(NOT_RUNNABLE, "%s: arguments and environment are too long", p->path);
    die(err == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "%s: %s", p->path, strerror(err));
}

extern char **environ;

void program_run_natively(const struct program *p)
{
    execve(p->path, p->argv, environ);
    program_exec_failed(p, errno);
}

void program_refuse_privileged(const struct program *p)
{
    die(NOT_RUNNABLE,
        "%s is set-user-id or set-group-id, or has capabilities of its own, which the kernel does not give to a "
        "program that is instrumented: run linchpin as the user that it needs, or run it without the engine by "
        "-privileged_natively", p->file);
}

void program_check_tool(const char *path)
{
    static struct elf_image im;
    const char *why = "";
    enum elf_status st = elf_read(&im, path, &why);
    pin_lead = "Unable to resolve tool path: ";
    if (st == ELF_UNREADABLE)
        die(1, "tool %s: %s", path, strerror(errno));
    pin_lead = "";
    if (st == ELF_NOT_ELF)
        die(1, "tool %s is not a shared object (not an ELF file)", path);
    if (st == ELF_X32 || st == ELF_OTHER_MACHINE || (st == ELF_OK && im.narrow))
        die(1, "tool %s is not built for " MACHINE_NAME "%s", path,
            im.narrow ? ": tools for IA-32 programs are 64-bit code, too (build it by linchpin cc -m32)" : "");
    if (st == ELF_CORRUPT)
        die(1, "tool %s: damaged ELF file: %s", path, why);
    if (st == ELF_OTHER_TYPE || im.eh.e_type != ET_DYN)
        die(1, "tool %s is not a shared object (link it with -shared)", path);
}

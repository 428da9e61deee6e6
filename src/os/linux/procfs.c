/* SPDX-License-Identifier: Apache-2.0
 * The guest opens or reads a link of a file in /proc about its own process: is it one that would show the host? Owns
 * the table of such files. Links and the host's descriptors are answered here, by path; a file whose text shows the
 * host is opened by the kernel and then handed to procread.c. Never touches guest memory; runs in host mode. */
#include "os/linux/procfs.h"
#include "arch/arch.h"
#include "os/linux/hostfd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_PARTS 8

static const struct {
    const char *name;
    enum proc_file file;
} files[] = {
    {"maps", PROC_MAPS},
    {"smaps", PROC_SMAPS},
    {"numa_maps", PROC_NUMA},
    {"status", PROC_STATUS},
    {"stat", PROC_STAT},
    {"statm", PROC_STATM},
    {"limits", PROC_LIMITS},
    {"exe", PROC_EXE},
};

static const char *program; /* in-process mode: the guest's program; else NULL, the kernel knows it */

void procfs_init(const struct boot_info *boot)
{
    ASSERT(boot->exe_off < BOOT_TEXT_BYTES);
    program = boot->mode == BOOT_INPROC ? boot->text + boot->exe_off : NULL;
}

/* --- which file a path names -------------------------------------------------------------------------------------- */

struct part {
    const char *at;
    size_t bytes;
};

struct walk {
    struct part part[MAX_PARTS];
    u32 n;
};

static bool is(struct part p, const char *word)
{
    return strlen(word) == p.bytes && memcmp(p.at, word, p.bytes) == 0;
}

static s64 number(struct part p)
{
    s64 v = 0;
    for (size_t i = 0; i < p.bytes; i++) {
        if (p.at[i] < '0' || p.at[i] > '9' || v > INT_MAX)
            return -1;
        v = v * 10 + p.at[i] - '0';
    }
    return p.bytes && v <= INT_MAX ? v : -1;
}

static enum proc_file file_named(struct part p)
{
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (is(p, files[i].name))
            return files[i].file;
    return PROC_OTHER;
}

/* Takes one component. "thread-self" is a link to <pid>/task/<tid>, "self" may stand for <pid>; all else below <pid>
 * that matters here is no link, so ".." is what it looks like. */
static bool step(struct walk *w, struct part p)
{
    if (p.bytes == 0 || is(p, "."))
        return true;
    if (is(p, "..")) {
        w->n -= w->n > 0;
        return true;
    }
    if (w->n == 1 && is(p, "thread-self")) {
        w->part[1] = (struct part){"self", 4};
        w->part[2] = (struct part){"task", 4};
        w->n = 3;
    }
    if (w->n == MAX_PARTS)
        return false;
    w->part[w->n++] = p;
    return true;
}

static bool walk_path(struct walk *w, const char *path)
{
    while (*path) {
        const char *end = strchrnul(path, '/');
        if (!step(w, (struct part){path, (size_t)(end - path)}))
            return false;
        path = *end ? end + 1 : end;
    }
    return true;
}

/* The last component is a name that matters, or the number of a host descriptor. Cheap, and false for nearly all
 * paths. */
static bool worth_a_look(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct part last = {slash ? slash + 1 : path, strlen(slash ? slash + 1 : path)};
    return file_named(last) != PROC_OTHER || hostfd_is((int)number(last));
}

/* The directory that a relative path starts from, with room for a blank path if it cannot be /proc. */
static bool walk_directory(struct walk *w, int dirfd, char link[PATH_MAX])
{
    char name[40] = "/proc/thread-self/cwd";
    if (dirfd != AT_FDCWD)
        base_format(name, sizeof name, "/proc/thread-self/fd/%d", dirfd);
    ssize_t n = readlink(name, link, PATH_MAX - 1);
    if (n <= 0)
        return false;
    link[n] = '\0';
    return strncmp(link, "/proc", 5) == 0 && walk_path(w, link);
}

/* A task of this process? Its number through *tid. */
static bool own_task(struct part p, int *tid)
{
    if (is(p, "self"))
        *tid = getpid();
    else if (is(p, "thread-self"))
        *tid = gettid();
    else
        *tid = (int)number(p);
    return *tid > 0 && (p.at[0] > '9' || hosttask_in_process((u64)*tid));
}

static enum proc_file classify(const struct walk *w, int *tid)
{
    const struct part *p = w->part;
    u32 n = w->n, below = 2; /* index of the first component below the task's directory */
    if (n == 3 && is(p[0], "dev") && is(p[1], "fd")) /* a link to /proc/self/fd */
        return hostfd_is((int)number(p[2])) ? PROC_HOST_FD : PROC_OTHER;
    if (n < 3 || !is(p[0], "proc"))
        return PROC_OTHER;
    if (is(p[2], "task"))
        below = 4;
    enum proc_file file = PROC_OTHER;
    if (n == below + 1)
        file = file_named(p[below]);
    else if (n == below + 2 && (is(p[below], "fd") || is(p[below], "fdinfo")) && hostfd_is((int)number(p[below + 1])))
        file = PROC_HOST_FD;
    if (file == PROC_OTHER || !own_task(p[1], tid) || (below == 4 && !own_task(p[3], tid)))
        return PROC_OTHER;
    return file;
}

static enum proc_file recognise(int dirfd, const char *path, int *tid)
{
    char link[PATH_MAX]; /* the components point into it */
    struct walk w = {.n = 0};
    if (!worth_a_look(path))
        return PROC_OTHER;
    if (path[0] != '/' && !walk_directory(&w, dirfd, link))
        return PROC_OTHER;
    return walk_path(&w, path) ? classify(&w, tid) : PROC_OTHER;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Else the call is about the link itself, and is the kernel's. */
static bool follows_link(int flags)
{
    return !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
}

int procfs_open(int dirfd, const char *path, int flags)
{
    int tid, saved = errno, fd = PROCFS_NOT_OURS;
    enum proc_file file = recognise(dirfd, path, &tid);
    if (file == PROC_HOST_FD)
        fd = -ENOENT;
    else if (file == PROC_EXE && program && follows_link(flags))
        /* It is the guest's, so not by libc (hostcalls.c). */
        fd = (int)arch_raw_syscall(SYS_openat, (u64)AT_FDCWD, (u64)program, (u64)flags, 0, 0, 0);
    errno = saved;
    return fd;
}

/* The kernel tells which file was opened, so it does not matter by which path. */
enum proc_file procfs_file_of(int fd, int *tid)
{
    char link[PATH_MAX], name[40];
    struct walk w = {.n = 0};
    base_format(name, sizeof name, "/proc/thread-self/fd/%d", fd);
    ssize_t n = readlink(name, link, sizeof link - 1);
    if (n <= 0)
        return PROC_OTHER;
    link[n] = '\0';
    return walk_path(&w, link) ? classify(&w, tid) : PROC_OTHER;
}

bool procfs_opened(int fd, const char *path, int flags)
{
    if ((flags & O_ACCMODE) == O_WRONLY || (flags & O_PATH) || !worth_a_look(path))
        return false;
    int tid, saved = errno;
    enum proc_file file = procfs_file_of(fd, &tid);
    bool view = file >= PROC_FIRST_TEXT && file <= PROC_LAST_TEXT && procread_begin(fd, file, tid);
    errno = saved;
    return view;
}

/* --- links -------------------------------------------------------------------------------------------------------- */

const char *procfs_exe_path(int dirfd, const char *path)
{
    int tid, saved = errno;
    bool exe = program && recognise(dirfd, path, &tid) == PROC_EXE;
    errno = saved;
    return exe ? program : NULL;
}

bool procfs_is_host_fd(int dirfd, const char *path)
{
    int tid, saved = errno;
    bool is = recognise(dirfd, path, &tid) == PROC_HOST_FD;
    errno = saved;
    return is;
}

s64 procfs_readlinkat(int dirfd, const char *path, char *buf, size_t n)
{
    int tid, saved = errno;
    enum proc_file file = recognise(dirfd, path, &tid);
    errno = saved;
    if (file == PROC_HOST_FD)
        return -ENOENT;
    if (file != PROC_EXE || !program)
        return PROCFS_NOT_OURS;
    if (n == 0)
        return -EINVAL;
    size_t bytes = strlen(program);
    memcpy(buf, program, bytes < n ? bytes : n);
    return (s64)(bytes < n ? bytes : n);
}

s64 procfs_readlink(const char *path, char *buf, size_t n)
{
    return procfs_readlinkat(AT_FDCWD, path, buf, n);
}

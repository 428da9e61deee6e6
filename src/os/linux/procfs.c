/* SPDX-License-Identifier: Apache-2.0
 * The guest opens or reads a link of a file in /proc about its own process: is it one that would show the host, and what is the answer? Owns the table of such files. Changed
 * files are handed out as memory files. The kernel makes their text when it is read; so ours is made when the file is opened, and again whenever the guest's map changes before the guest
 * has begun to read (P1). Never touches guest memory; runs in host mode.
 *
 *  P1  A live view is one that was opened by this process and not yet read from; there are at most LIVE_VIEWS, of maps and smaps. It is writable through a host descriptor; when it is no longer live, it
 *      is sealed. */
#include "os/linux/procfs.h"
#include "os/linux/gmap.h"
#include "os/linux/hostfd.h"
#include "os/linux/hostlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

#define MAX_PARTS 8
#define LIVE_VIEWS 4
#define MAX_REFRESHES 64 /* then it is plain that nobody reads it */

enum proc_file { PROC_OTHER, PROC_MAPS, PROC_SMAPS, PROC_NUMA, PROC_STATUS, PROC_STAT, PROC_EXE, PROC_HOST_FD };

static const struct {
    const char *name;
    enum proc_file file;
} files[] = {
    {"maps", PROC_MAPS},
    {"smaps", PROC_SMAPS},
    {"numa_maps", PROC_NUMA},
    {"status", PROC_STATUS},
    {"stat", PROC_STAT},
    {"exe", PROC_EXE},
};

bool (*procfs_signal_view)(int tid, u64 *blocked, u64 *ignored, u64 *caught);

static struct view {
    int pid;              /* 0: free */
    int guest_fd, write_fd;
    ino_t ino;            /* tells whether guest_fd is still the view */
    enum proc_file file;
    u32 refreshes;
} views[LIVE_VIEWS];
static u32 live;          /* number of those in use: a hint, read without the lock */
static struct hostlock view_lock;
static u32 oldest;

static const char *program; /* in-process mode: the guest's program; else NULL, the kernel knows it */

static void refresh_views(void);
static void leave_views(void);

void procfs_init(const struct boot_info *boot)
{
    ASSERT(boot->exe_off < BOOT_TEXT_BYTES);
    program = boot->mode == BOOT_INPROC ? boot->text + boot->exe_off : NULL;
    if (!gmap_changed && pthread_atfork(NULL, NULL, leave_views) != 0)
        die(1, "no memory to start");
    gmap_changed = refresh_views;
}

/* --- which file a path names ---------------------------------------------------------------------------------------- */

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

/* Takes one component. "thread-self" is a link to <pid>/task/<tid>, "self" may stand for <pid>; all else below <pid> that matters here is no link, so ".." is what it
 * looks like. */
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

/* The last component is a name that matters, or the number of a host descriptor. Cheap, and false for nearly all paths. */
static bool worth_a_look(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct part last = {slash ? slash + 1 : path, strlen(slash ? slash + 1 : path)};
    return file_named(last) != PROC_OTHER || hostfd_is((int)number(last));
}

/* The directory that a relative path starts from, with room for a blank path if it cannot be /proc. */
static bool walk_directory(struct walk *w, int dirfd, char link[PATH_MAX])
{
    char name[40] = "/proc/self/cwd";
    if (dirfd != AT_FDCWD)
        base_format(name, sizeof name, "/proc/self/fd/%d", dirfd);
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

/* --- files made of text ------------------------------------------------------------------------------------------------ */

static bool read_all(int fd, struct text *t)
{
    char piece[8192];
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text_add(t, piece, (size_t)n);
    }
    text_add(t, "", 1);
    t->bytes -= !t->failed;
    errno = ENOMEM;
    return !t->failed;
}

static bool write_all(int fd, const struct text *t)
{
    for (size_t at = 0; at < t->bytes;) {
        ssize_t n = write(fd, t->at + at, t->bytes - at);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The view opened again for reading only, at the same number. False: still writable, to be sealed. */
static bool make_read_only(int fd, int flags)
{
    char path[40];
    base_format(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, O_RDONLY | O_CLOEXEC | (flags & O_NONBLOCK));
    if (again >= 0) {
        dup3(again, fd, flags & O_CLOEXEC);
        close(again);
        return true;
    }
    lseek(fd, 0, SEEK_SET);
    if (!(flags & O_CLOEXEC))
        fcntl(fd, F_SETFD, 0);
    return false;
}

static void seal(int fd)
{
    const int all = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if ((fcntl(fd, F_GET_SEALS) & all) != all && fcntl(fd, F_ADD_SEALS, all) < 0)
        msg("cannot seal the view of a file in /proc: error %d", errno);
}

static int memory_file(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) /* a kernel before 6.3 */
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd;
}

static void make_view(enum proc_file file, struct text *raw, struct text *out, int tid)
{
    switch (file) {
    case PROC_MAPS:
    case PROC_SMAPS:
        procview_maps(raw, out);
        break;
    case PROC_NUMA:
        procview_numa(raw, out);
        break;
    case PROC_STATUS:
        procview_status(raw, out, tid);
        break;
    default:
        procview_stat(raw, out, tid);
        break;
    }
}

/* --- live views (P1) --------------------------------------------------------------------------------------------------- */

/* view_lock held. */
static void end_view(struct view *v)
{
    seal(v->write_fd);
    hostfd_close(v->write_fd);
    v->pid = 0;
    live--;
}

/* In the child of a fork: the views show the parent, natively too. */
static void leave_views(void)
{
    hostlock_reset(&view_lock);
    for (struct view *v = views; v < views + LIVE_VIEWS; v++)
        if (v->pid) {
            hostfd_close(v->write_fd);
            v->pid = 0;
        }
    live = 0;
}

/* Takes a duplicate of the writable fd to keep the view up to date; false: no descriptor left for that. */
static bool begin_view(int fd, enum proc_file file)
{
    struct stat s;
    int write_fd = fstat(fd, &s) == 0 ? hostfd_dup(fd) : -1;
    if (write_fd < 0)
        return false;
    hostlock_take(&view_lock);
    struct view *v = &views[oldest++ % LIVE_VIEWS];
    if (v->pid)
        end_view(v);
    *v = (struct view){.pid = getpid(), .guest_fd = fd, .write_fd = write_fd, .ino = s.st_ino, .file = file};
    live++;
    hostlock_give(&view_lock);
    return true;
}

static bool still_unread(const struct view *v)
{
    struct stat s;
    return v->refreshes < MAX_REFRESHES && fstat(v->guest_fd, &s) == 0 && s.st_ino == v->ino && lseek(v->guest_fd, 0, SEEK_CUR) == 0;
}

static bool rewrite_view(const struct view *v)
{
    struct text raw = {0}, out = {0};
    int real = open(v->file == PROC_SMAPS ? "/proc/self/smaps" : "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    bool ok = real >= 0 && read_all(real, &raw);
    if (real >= 0)
        close(real);
    if (ok)
        procview_maps(&raw, &out);
    ok = ok && !out.failed && lseek(v->write_fd, 0, SEEK_SET) == 0 && write_all(v->write_fd, &out) && ftruncate(v->write_fd, (off_t)out.bytes) == 0;
    text_free(&raw);
    text_free(&out);
    return ok;
}

/* The guest's map has changed. */
static void refresh_views(void)
{
    if (LIKELY(!__atomic_load_n(&live, __ATOMIC_RELAXED)))
        return;
    int saved = errno;
    hostlock_take(&view_lock);
    for (struct view *v = views; v < views + LIVE_VIEWS; v++) {
        if (v->pid != getpid())
            continue;
        v->refreshes++;
        if (!still_unread(v) || !rewrite_view(v))
            end_view(v);
    }
    hostlock_give(&view_lock);
    errno = saved;
}

/* --- opening ---------------------------------------------------------------------------------------------------------------- */

static int publish(const struct text *t, enum proc_file file, int flags)
{
    int fd = memory_file("proc");
    if (fd < 0)
        return -errno;
    if (!write_all(fd, t) || fchmod(fd, 0444) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    bool is_live = (file == PROC_MAPS || file == PROC_SMAPS) && begin_view(fd, file);
    if (!is_live)
        seal(fd);
    if (!make_read_only(fd, flags) && is_live)
        seal(fd);
    return fd;
}

/* The real file is opened as the guest asked, read and closed before the new one is made, so that the guest gets the number it would have got. */
static int open_view(enum proc_file file, int dirfd, const char *path, int flags, int tid)
{
    int real = openat(dirfd, path, flags | O_CLOEXEC);
    if (real < 0)
        return -errno;
    struct text raw = {0};
    bool ok = read_all(real, &raw);
    int error = errno;
    close(real);
    struct text out = {0};
    if (ok)
        make_view(file, &raw, &out, tid);
    int fd = !ok ? -error : out.failed ? -ENOMEM : publish(&out, file, flags);
    text_free(&raw);
    text_free(&out);
    return fd;
}

int procfs_open(int dirfd, const char *path, int flags)
{
    int tid, saved = errno, fd = PROCFS_NOT_OURS;
    enum proc_file file = recognise(dirfd, path, &tid);
    bool reading = (flags & O_ACCMODE) == O_RDONLY && !(flags & (O_PATH | O_DIRECTORY | O_TRUNC));
    if (file == PROC_HOST_FD)
        fd = -ENOENT;
    else if (file == PROC_EXE && program)
        fd = (fd = open(program, flags)) < 0 ? -errno : fd;
    else if (file == PROC_STATUS || file == PROC_STAT)
        fd = reading && (hosttask_count() || procfs_signal_view) ? open_view(file, dirfd, path, flags, tid) : fd;
    else if (file == PROC_MAPS || file == PROC_SMAPS || file == PROC_NUMA)
        fd = reading ? open_view(file, dirfd, path, flags, tid) : fd;
    errno = saved;
    return fd;
}

/* --- links ---------------------------------------------------------------------------------------------------------------- */

const char *procfs_exe_path(int dirfd, const char *path)
{
    int tid, saved = errno;
    bool exe = program && recognise(dirfd, path, &tid) == PROC_EXE;
    errno = saved;
    return exe ? program : NULL;
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

/* SPDX-License-Identifier: Apache-2.0
 * Host descriptors and host kernel threads: where they are and how the guest's system calls get around them. Owns
 * the two tables; they are read without a lock, changed with single atomic stores. Knows nothing of files that a
 * tool opens by itself. */
#include "os/linux/hostfd.h"
#include "os/hostmem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM 64                /* how many numbers at the top are wanted for the host */
#define FD_FLOOR 4096          /* where the host's numbers begin if the limits allow it */
#define FD_CEILING 16384       /* the kernel's table is as long as the highest descriptor, and copied at every fork */

static struct {
    int fd1;                   /* descriptor + 1; 0: free */
    int *holder;
} fds[HOSTFD_MAX];
static int lowest1;            /* no host descriptor + 1 is below; 0: there is none */

/* --- the table ---------------------------------------------------------------------------------------------------- */

static int slot_of(int fd)
{
    for (int i = 0; i < HOSTFD_MAX; i++)
        if (__atomic_load_n(&fds[i].fd1, __ATOMIC_ACQUIRE) == fd + 1)
            return i;
    return -1;
}

static bool add_fd(int fd, int *holder)
{
    for (int i = 0; i < HOSTFD_MAX; i++) {
        int none = 0;
        if (!__atomic_compare_exchange_n(&fds[i].fd1, &none, fd + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        fds[i].holder = holder;
        int low = __atomic_load_n(&lowest1, __ATOMIC_RELAXED);
        while ((!low || fd + 1 < low) &&
               !__atomic_compare_exchange_n(&lowest1, &low, fd + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            ;
        return true;
    }
    return false;
}

bool hostfd_any(void)
{
    for (int i = 0; i < HOSTFD_MAX; i++)
        if (__atomic_load_n(&fds[i].fd1, __ATOMIC_RELAXED))
            return true;
    return false;
}

bool hostfd_is(int fd)
{
    int low = __atomic_load_n(&lowest1, __ATOMIC_ACQUIRE);
    return low && fd + 1 >= low && slot_of(fd) >= 0;
}

/* --- placing ------------------------------------------------------------------------------------------------------ */

/* The first number to try, and through *limit the soft limit that must hold while it is tried. */
static u64 choose_base(const struct rlimit *now, u64 *limit)
{
    u64 base = now->rlim_cur; /* above the soft limit the guest cannot get at all */
    if (base < FD_FLOOR)
        base = FD_FLOOR;
    if (base > FD_CEILING - ROOM)
        base = FD_CEILING - ROOM;
    *limit = base + ROOM > now->rlim_cur ? base + ROOM : now->rlim_cur;
    return base;
}

/* Puts the descriptor at the top of what the limits allow as they are. */
static int dup_within(int fd, u64 limit)
{
    int base = limit > 2 * ROOM ? (int)(limit - ROOM) : (int)(limit / 2);
    return fcntl(fd, F_DUPFD_CLOEXEC, base);
}

/* The limit is raised for the duration of the call, so that host descriptors are above what the guest may use. Only
 * a privileged process may go above the hard limit. */
static int dup_high(int fd)
{
    struct rlimit now, wide;
    if (getrlimit(RLIMIT_NOFILE, &now) < 0)
        return -1;
    u64 limit, base = choose_base(&now, &limit);
    wide.rlim_cur = limit;
    wide.rlim_max = limit > now.rlim_max ? limit : now.rlim_max;
    if (limit == now.rlim_cur)
        return fcntl(fd, F_DUPFD_CLOEXEC, (int)base);
    if (setrlimit(RLIMIT_NOFILE, &wide) == 0) {
        int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)base);
        int saved = errno;
        if (setrlimit(RLIMIT_NOFILE, &now) < 0)
            BUG("cannot put the limit of descriptors back: error %d", errno);
        errno = saved;
        if (high >= 0)
            return high;
    }
    /* Where the hard limit does not allow that: tries as high as it goes, and then below the soft limit. */
    wide = (struct rlimit){now.rlim_max, now.rlim_max};
    if (now.rlim_max > now.rlim_cur && setrlimit(RLIMIT_NOFILE, &wide) == 0) {
        int high = dup_within(fd, now.rlim_max < FD_CEILING ? now.rlim_max : FD_CEILING);
        if (setrlimit(RLIMIT_NOFILE, &now) < 0)
            BUG("cannot put the limit of descriptors back: error %d", errno);
        if (high >= 0)
            return high;
    }
    return dup_within(fd, now.rlim_cur);
}

int hostfd_dup_held(int fd, int *holder)
{
    int high = dup_high(fd);
    if (high < 0)
        return -1;
    if (!add_fd(high, holder)) {
        close(high);
        errno = EMFILE;
        return -1;
    }
    if (holder)
        *holder = high;
    return high;
}

int os_hidden_dup(int fd)
{
    return hostfd_dup_held(fd, NULL);
}

void hostfd_close(int fd)
{
    int i = slot_of(fd);
    ASSERT(i >= 0);
    close(fd);
    fds[i].holder = NULL;
    __atomic_store_n(&fds[i].fd1, 0, __ATOMIC_RELEASE);
}

void hostfd_close_all(void)
{
    msg_fd = -1;
    for (int i = 0; i < HOSTFD_MAX; i++)
        if (fds[i].fd1)
            close(fds[i].fd1 - 1);
}

bool hostfd_vacate(int fd)
{
    if (!hostfd_is(fd))
        return true;
    int i = slot_of(fd);
    int *holder = i >= 0 ? fds[i].holder : NULL;
    if (!holder)
        return false;
    int other = hostfd_dup_held(fd, holder);
    if (other < 0)
        return false;
    hostfd_close(fd);
    return true;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static struct {
    dev_t dev;
    ino_t ino;
    char name[256]; /* "": cannot be opened again */
} first_stderr;

static bool is_first_stderr(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_dev == first_stderr.dev && st.st_ino == first_stderr.ino;
}

/* The guest may have put another file of its own in the place of its stderr: that is not ours to write to. */
static int find_stderr(bool *close_after)
{
    if (is_first_stderr(2))
        return 2;
    int fd =
        first_stderr.name[0] ? open(first_stderr.name, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0 && !is_first_stderr(fd)) {
        close(fd);
        fd = -1;
    }
    *close_after = fd >= 0;
    return fd;
}

static void note_stderr(const struct stat *st)
{
    first_stderr.dev = st->st_dev;
    first_stderr.ino = st->st_ino;
    ssize_t n = readlink("/proc/thread-self/fd/2", first_stderr.name, sizeof first_stderr.name - 1);
    first_stderr.name[n > 0 && n < (ssize_t)sizeof first_stderr.name - 1 && first_stderr.name[0] == '/' ? n : 0] = '\0';
    msg_find = find_stderr;
    msg_fd = MSG_FIND;
}

void hostfd_init(bool keep)
{
    struct stat st;
    if (fstat(2, &st) < 0)
        msg_fd = -1;
    else if (!keep)
        note_stderr(&st);
    else if (hostfd_dup_held(2, &msg_fd) < 0)
        msg("no descriptor for messages (error %d): they go where the program's stderr goes", errno);
}

void hostfd_open_log(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        die(1, "the log file %s cannot be opened: %s", path, strerror(errno));
    if (hostfd_is(msg_fd))
        hostfd_close(msg_fd);
    msg_fd = fd;
    if (hostfd_dup_held(fd, &msg_fd) < 0)
        die(1, "no descriptor for the log file %s: %s", path, strerror(errno));
    close(fd);
}

/* --- close_range -------------------------------------------------------------------------------------------------- */

/* The lowest host descriptor in [first, last], or -1. */
static s64 next_host_fd(u32 first, u32 last)
{
    s64 best = -1;
    for (int i = 0; i < HOSTFD_MAX; i++) {
        s64 fd = (s64)__atomic_load_n(&fds[i].fd1, __ATOMIC_ACQUIRE) - 1;
        if (fd >= first && fd <= last && (best < 0 || fd < best))
            best = fd;
    }
    return best;
}

static s64 close_range_call(u32 first, u32 last, u32 flags)
{
    return syscall(SYS_close_range, first, last, flags) < 0 ? -errno : 0;
}

s64 hostfd_close_range(u32 first, u32 last, u32 flags)
{
    enum { UNSHARE = 2 };
    /* The other flag, CLOSE_RANGE_CLOEXEC, may hit ours: they are close-on-exec already. */
    if (first > last || (flags & ~(u32)UNSHARE) || next_host_fd(first, last) < 0)
        return close_range_call(first, last, flags);
    s64 result = 0, fd;
    while (result == 0 && (fd = next_host_fd(first, last)) >= 0) {
        if (fd > first || (flags & UNSHARE)) {
            /* An empty range before a host descriptor still has to unshare the table: the system call unshare does
             * the same. */
            if (fd > first)
                result = close_range_call(first, (u32)fd - 1, flags);
            else
                result = unshare(CLONE_FILES) < 0 ? -errno : 0;
            flags = 0;
        }
        if ((u32)fd == last)
            return result;
        first = (u32)fd + 1;
    }
    return result ? result : close_range_call(first, last, 0);
}

/* --- kernel threads (the others: hosttask.c) ---------------------------------------------------------------------- */

bool hosttask_in_process(u64 tid)
{
    char path[64];
    base_format(path, sizeof path, "/proc/self/task/%lu", tid);
    int saved = errno;
    bool ours = access(path, F_OK) == 0;
    errno = saved;
    return ours;
}

/* --- directories -------------------------------------------------------------------------------------------------- */

enum dir_kind { DIR_OTHER, DIR_FD, DIR_TASK, DIR_MAPS };

/* Offset of the name in an entry of getdents64 and of the old getdents; the entry's length is 16 bits at offset 16
 * in both. */
enum { NAME_64 = 19, NAME_OLD = 18 };

/* A decimal number and nothing else, or -1. */
static s64 whole_number(const char *s)
{
    s64 v = 0;
    if (!*s || (*s == '0' && s[1]))
        return -1;
    for (; *s >= '0' && *s <= '9' && v < INT32_MAX; s++)
        v = v * 10 + *s - '0';
    return *s || v > INT32_MAX ? -1 : v;
}

static bool parse_hex(const char **s, u64 *v)
{
    const char *from = *s;
    for (*v = 0;; ++*s) {
        char c = **s;
        u32 digit = c >= '0' && c <= '9' ? (u32)(c - '0') : c >= 'a' && c <= 'f' ? (u32)(c - 'a' + 10) : 16;
        if (digit == 16)
            return *s != from;
        *v = *v * 16 + digit;
    }
}

/* Is "start-end" a mapping of which nothing is the guest's? (One that the kernel has joined with a guest's stays.) */
static bool is_host_mapping(const char *name)
{
    u64 start, end, s, e;
    return parse_hex(&name, &start) && *name++ == '-' && parse_hex(&name, &end) && !*name &&
           hostmem_next(start, &s, &e) && s <= start && e >= end;
}

/* Would an entry of this name be hidden in a directory of that kind? */
static bool hides(enum dir_kind kind, const char *name)
{
    switch (kind) {
    case DIR_FD:
        return hostfd_is((int)whole_number(name));
    case DIR_TASK:
        return hosttask_is((int)whole_number(name));
    case DIR_MAPS:
        return is_host_mapping(name);
    default:
        return false;
    }
}

static char *last_component(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return slash + 1;
}

/* /proc/<pid>/NAME or /proc/<pid>/task/<tid>/NAME of this process, wherever /proc is mounted. */
static enum dir_kind kind_of(int dirfd)
{
    static const struct {
        const char *name;
        enum dir_kind kind;
    } known[] = {{"fd", DIR_FD}, {"fdinfo", DIR_FD}, {"task", DIR_TASK}, {"map_files", DIR_MAPS}};
    char link[64], path[256];
    base_format(link, sizeof link, "/proc/thread-self/fd/%d", dirfd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0 || n == sizeof path - 1)
        return DIR_OTHER;
    path[n] = '\0';
    const char *name = last_component(path), *owner = name ? last_component(path) : NULL;
    s64 tid = owner ? whole_number(owner) : -1;
    for (size_t i = 0; i < ARRAY_LEN(known) && tid > 0; i++)
        if (strcmp(name, known[i].name) == 0)
            return hosttask_in_process((u64)tid) ? known[i].kind : DIR_OTHER;
    return DIR_OTHER;
}

static s64 filter(int dirfd, u8 *buf, s64 bytes, u32 name_at)
{
    u16 length;
    bool suspect = false;
    for (s64 at = 0; at < bytes && !suspect; at += length) {
        const char *name = (const char *)buf + at + name_at;
        memcpy(&length, buf + at + 16, sizeof length);
        suspect = hides(DIR_FD, name) || hides(DIR_TASK, name) || hides(DIR_MAPS, name);
    }
    /* To find out which directory it is costs two system calls, so this is done only when it matters. */
    enum dir_kind kind = suspect ? kind_of(dirfd) : DIR_OTHER;
    if (kind == DIR_OTHER)
        return bytes;
    s64 to = 0;
    for (s64 at = 0; at < bytes; at += length) {
        memcpy(&length, buf + at + 16, sizeof length);
        if (hides(kind, (const char *)buf + at + name_at))
            continue;
        memmove(buf + to, buf + at, length);
        to += length;
    }
    return to;
}

s64 hostfd_filter_dirents(int dirfd, void *buf, s64 bytes)
{
    return bytes > 0 ? filter(dirfd, buf, bytes, NAME_64) : bytes;
}

s64 hostfd_filter_dirents_old(int dirfd, void *buf, s64 bytes)
{
    return bytes > 0 ? filter(dirfd, buf, bytes, NAME_OLD) : bytes;
}

s64 hostfd_getdents64(int dirfd, void *buf, u64 room)
{
    for (;;) {
        s64 n = syscall(SYS_getdents64, dirfd, buf, room);
        if (n <= 0)
            return n < 0 ? -errno : 0;
        n = hostfd_filter_dirents(dirfd, buf, n);
        if (n > 0)
            return n;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * Host descriptors: which numbers they have, how they get there, and how the guest's system calls get around them. Owns
 * the set of numbers, which is read without a lock and changed with single atomic operations, and the lock under which
 * the limit of descriptors is raised for a moment. What host code opens is brought here by hostcalls.c.
 *
 *  HF1  Whoever changes the kernel's limit of descriptors, or lets a new process or program inherit it, holds the
 *       lock.
 *  HF2  While host code has a number that the guest would get natively, it holds the lock, and `transits` is odd. A
 *       call of the guest's that makes a descriptor meanwhile looks afterwards whether there is a lower one. One that
 *       makes a process, which gets a copy of all descriptors, holds the lock.
 *  HF3  A number of the host's leaves the set before it is closed: nobody else can have got it in between. It leaves
 *       under the lock, and not before an execve would close it: a process that is made before it is closed has it,
 *       and does not know whose it is.
 *  HF4  A process in this memory with descriptors of its own (vfork) has copies of the host's as they were when it was
 *       made. An execve of its would close them all: that is seen to before the lock is given back.
 *  HF5  What host code closes is noted from before it leaves the set until the call has come back: where its thread is
 *       ended in between, or is not in the child of a fork, nobody else would close it. */
#include "os/linux/hostfd.h"

#include "arch/arch.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM 64                /* how many numbers at the top are wanted for the host at least */
#define FD_FLOOR OS_HIGH_FD    /* where the host's numbers begin if the limits allow it */
#define FD_CEILING 16384       /* the kernel's table is as long as the highest descriptor, and copied at every fork */
#define SMALL_LIMIT 16         /* of so few descriptors the program gets all that the host can do without */
#define HELD_MAX 16
#define LEAVING_MAX 16

static u64 host[HOSTFD_MAX / 64];
static u32 nhost;
static int lowest1;            /* no host descriptor + 1 is below; 0: there was none */
static struct {
    int fd1;                   /* descriptor + 1; 0: free */
    int *holder;
} held[HELD_MAX];
static struct hostfd_leaving {
    int fd1;                   /* descriptor + 1; 0: free */
    u64 device, inode;         /* its file: somebody else may have got the number since it was closed */
} leaving[LEAVING_MAX];
static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_HOSTFDS);
static u32 transits;           /* odd: host code has a low number, or is about to */
static int process;            /* whose descriptors the set is about */

/* Not by libc: its calls are redirected to here. */
static s64 raw(u64 nr, u64 a, u64 b, u64 c, u64 d) { return arch_raw_syscall(nr, a, b, c, d, 0, 0); }
static s64 raw_close(int fd) { return raw(SYS_close, (u64)fd, 0, 0, 0); }
static s64 raw_fcntl(int fd, int command, u64 arg) { return raw(SYS_fcntl, (u64)fd, (u64)command, arg, 0); }

/* --- the set ------------------------------------------------------------------------------------------------------ */

static u64 bit_of(int fd) { return 1ul << fd % 64; }

static bool add_fd(int fd)
{
    if (fd >= HOSTFD_MAX)
        return false;
    if (!(__atomic_fetch_or(&host[fd / 64], bit_of(fd), __ATOMIC_ACQ_REL) & bit_of(fd)))
        __atomic_fetch_add(&nhost, 1, __ATOMIC_RELAXED);
    int low = __atomic_load_n(&lowest1, __ATOMIC_RELAXED);
    while ((!low || fd + 1 < low) &&
           !__atomic_compare_exchange_n(&lowest1, &low, fd + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return true;
}

static void remove_fd(int fd)
{
    if (__atomic_fetch_and(&host[fd / 64], ~bit_of(fd), __ATOMIC_ACQ_REL) & bit_of(fd))
        __atomic_fetch_sub(&nhost, 1, __ATOMIC_RELAXED);
}

bool hostfd_any(void)
{
    return __atomic_load_n(&nhost, __ATOMIC_RELAXED);
}

bool hostfd_is(int fd)
{
    int low = __atomic_load_n(&lowest1, __ATOMIC_ACQUIRE);
    return low && fd + 1 >= low && fd < HOSTFD_MAX && __atomic_load_n(&host[fd / 64], __ATOMIC_ACQUIRE) & bit_of(fd);
}

s64 hostfd_next(u32 first, u32 last)
{
    s64 low = (s64)__atomic_load_n(&lowest1, __ATOMIC_ACQUIRE) - 1;
    if (low < 0)
        return -1;
    for (s64 fd = first > low ? first : low; fd <= last && fd < HOSTFD_MAX; fd = (fd | 63) + 1) {
        u64 left = __atomic_load_n(&host[fd / 64], __ATOMIC_ACQUIRE) & ~0ul << fd % 64;
        s64 found = left ? (fd & ~63l) + __builtin_ctzl(left) : -1;
        if (left)
            return found <= last ? found : -1;
    }
    return -1;
}

/* --- who keeps a number elsewhere, and may be told another -------------------------------------------------------- */

static bool hold(int fd, int *holder)
{
    for (int i = 0; i < HELD_MAX; i++) {
        int none = 0;
        if (!__atomic_compare_exchange_n(&held[i].fd1, &none, fd + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        held[i].holder = holder;
        return true;
    }
    return false;
}

static int held_slot(int fd)
{
    for (int i = 0; i < HELD_MAX; i++)
        if (__atomic_load_n(&held[i].fd1, __ATOMIC_ACQUIRE) == fd + 1)
            return i;
    return -1;
}

static void let_go(int fd)
{
    int i = held_slot(fd);
    if (i < 0)
        return;
    held[i].holder = NULL;
    __atomic_store_n(&held[i].fd1, 0, __ATOMIC_RELEASE);
}

void (*hostfd_low)(void);

static void tell_if_low(s64 fd)
{
    if (UNLIKELY(fd >= 0 && fd < OS_HIGH_FD) && hostfd_low)
        hostfd_low();
}

/* --- placing ------------------------------------------------------------------------------------------------------ */

static s64 swap_limit(const struct rlimit *now, struct rlimit *old)
{
    return raw(SYS_prlimit64, 0, RLIMIT_NOFILE, (u64)now, (u64)old);
}

static void put_limit_back(const struct rlimit *was)
{
    s64 r = swap_limit(was, NULL);
    if (r < 0)
        BUG("cannot put the limit of descriptors back: error %ld", -r);
}

/* The soft limit that the host has been told. */
static u64 told;

/* Above all numbers that the host has. */
static u64 limit_for_host(u64 soft)
{
    s64 last = -1;
    for (s64 fd = -1; (fd = hostfd_next((u32)(fd + 1), HOSTFD_MAX)) >= 0;)
        last = fd;
    return (u64)(last + 1) > soft ? (u64)(last + 1) : soft;
}

s64 hostfd_limit_call(const struct rlimit *set, struct rlimit *get)
{
    struct rlimit was, kept;
    hostlock_take(&lock); /* no limit is raised for a moment now */
    s64 r = swap_limit(set, &was);
    u64 last_told = told;
    if (r == 0 && set && set->rlim_cur == last_told && last_told > was.rlim_cur) {
        kept = (struct rlimit){was.rlim_cur, was.rlim_max < set->rlim_max ? was.rlim_max : set->rlim_max};
        r = swap_limit(&kept, NULL);
    }
    if (r == 0 && get) {
        told = limit_for_host(was.rlim_cur);
        *get = (struct rlimit){told, was.rlim_max > told ? was.rlim_max : told};
    }
    hostlock_give(&lock);
    return r;
}

/* The first number to try, and through *limit the soft limit that must hold while it is tried. */
static u64 choose_base(const struct rlimit *now, u64 *limit)
{
    u64 base = now->rlim_cur; /* above the soft limit the guest cannot get at all */
    if (base < FD_FLOOR)
        base = FD_FLOOR;
    if (base > FD_CEILING - ROOM)
        base = FD_CEILING - ROOM;
    u64 wide = base + HOSTFD_MAX / 4;
    if (wide > now->rlim_max)
        wide = now->rlim_max > base + ROOM ? now->rlim_max : base + ROOM;
    *limit = wide > now->rlim_cur ? wide : now->rlim_cur;
    return base;
}

/* Puts the descriptor at the top of what the limits allow as they are. */
static s64 dup_within(int fd, int command, u64 limit)
{
    s64 r = -EMFILE;
    for (u64 base = limit - 1; r < 0 && base > (u64)fd && limit - base <= ROOM; base--)
        r = raw_fcntl(fd, command, base);
    return r;
}

/* The limit is raised for the duration of the call, so that host descriptors are above what the guest may use. Only
 * a privileged process may go above the hard limit. wanted: but not needed. HF1: lock held. */
static s64 dup_high(int fd, int command, bool wanted)
{
    struct rlimit now, wide;
    if (swap_limit(NULL, &now) < 0)
        return -EMFILE;
    u64 limit, base = choose_base(&now, &limit);
    wide.rlim_cur = limit;
    wide.rlim_max = limit > now.rlim_max ? limit : now.rlim_max;
    s64 high = base < now.rlim_cur ? raw_fcntl(fd, command, base) : -EMFILE;
    if (high != -EMFILE || raw_fcntl(fd, F_GETFD, 0) < 0)
        return high >= 0 ? high : -EBADF;
    if (swap_limit(&wide, NULL) == 0) {
        high = raw_fcntl(fd, command, base);
        put_limit_back(&now);
        if (high >= 0)
            return high;
    }
    /* Where the hard limit does not allow that: tries as high as it goes, and then below the soft limit. */
    wide = (struct rlimit){now.rlim_max, now.rlim_max};
    if (now.rlim_max > now.rlim_cur && swap_limit(&wide, NULL) == 0) {
        high = dup_within(fd, command, now.rlim_max < FD_CEILING ? now.rlim_max : FD_CEILING);
        put_limit_back(&now);
        if (high >= 0)
            return high;
    }
    return wanted && now.rlim_cur < SMALL_LIMIT ? -EMFILE : dup_within(fd, command, now.rlim_cur);
}

/* A copy in the set, or -errno. HF1: lock held. */
static s64 dup_host(int fd, int command, bool wanted)
{
    s64 high = dup_high(fd, command, wanted);
    if (high < 0 || add_fd((int)high))
        return high;
    raw_close((int)high);
    return -EMFILE;
}

int hostfd_dup_held(int fd, int *holder)
{
    hostlock_take(&lock);
    s64 high = dup_host(fd, F_DUPFD_CLOEXEC, true);
    hostlock_give(&lock);
    if (high >= 0 && holder && !hold((int)high, holder)) {
        hostfd_close((int)high);
        high = -EMFILE;
    }
    if (high < 0) {
        errno = (int)-high;
        return -1;
    }
    if (holder)
        *holder = (int)high;
    tell_if_low(high);
    return (int)high;
}

int os_hidden_dup(int fd)
{
    return hostfd_dup_held(fd, NULL);
}

/* The low number is in the set, too, as long as it is open, so that a guest that closes what it does not have leaves
 * it. */
static s64 move_up(int fd)
{
    s64 flags = raw_fcntl(fd, F_GETFD, 0);
    if (flags < 0)
        return -EBADF;
    add_fd(fd);
    s64 high = dup_host(fd, flags & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, false);
    if (high == -EBADF)
        remove_fd(fd);
    if (high < 0)
        return high == -EBADF ? high : fd; /* hidden where it is */
    raw_close(fd);
    remove_fd(fd);
    return high;
}

void hostfd_begin(void)
{
    hostlock_take(&lock);
    __atomic_fetch_add(&transits, 1, __ATOMIC_SEQ_CST);
}

void hostfd_end(s64 fd)
{
    __atomic_fetch_add(&transits, 1, __ATOMIC_SEQ_CST);
    hostlock_give(&lock);
    tell_if_low(fd);
}

s64 hostfd_take(int fd)
{
    return hostfd_is(fd) ? fd : move_up(fd);
}

s64 hostfd_with_room(s64 (*call)(const u64 *), const u64 *args)
{
    struct rlimit now, wide;
    if (swap_limit(NULL, &now) < 0)
        return -EMFILE;
    u64 more = now.rlim_cur + ROOM;
    wide = (struct rlimit){more, now.rlim_max > more ? now.rlim_max : more};
    bool wider = swap_limit(&wide, NULL) == 0;
    wide = (struct rlimit){now.rlim_max, now.rlim_max};
    wider |= !wider && now.rlim_max > now.rlim_cur && swap_limit(&wide, NULL) == 0;
    if (!wider)
        return -EMFILE;
    s64 r = call(args);
    put_limit_back(&now);
    return r;
}

s64 hostfd_call_onto(int fd, s64 (*call)(const u64 *), const u64 *args)
{
    struct rlimit now, wide;
    if (!hostfd_is(fd) || (process && raw(SYS_getpid, 0, 0, 0, 0) != process))
        return -EBADF;
    hostlock_take(&lock);
    s64 r = -EBADF;
    if (swap_limit(NULL, &now) == 0 && now.rlim_cur <= (u64)fd) {
        u64 more = (u64)fd + 1;
        wide = (struct rlimit){more, now.rlim_max > more ? now.rlim_max : more};
        if (swap_limit(&wide, NULL) == 0) {
            r = call(args);
            put_limit_back(&now);
        }
    }
    hostlock_give(&lock);
    return r;
}

u32 hostfd_transits(void) { return __atomic_load_n(&transits, __ATOMIC_SEQ_CST); }

s64 hostfd_settle(int fd, u32 from)
{
    s64 flags = raw_fcntl(fd, F_GETFD, 0);
    hostlock_take(&lock);
    s64 low = flags < 0 ? -EBADF : raw_fcntl(fd, flags & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, from);
    if (low >= 0)
        raw_close(low < fd ? fd : (int)low);
    hostlock_give(&lock);
    return low >= 0 && low < fd ? low : fd;
}

/* --- on their way down -------------------------------------------------------------------------------------------- */

static bool file_of(int fd, struct hostfd_leaving *of)
{
    struct stat st;
    if (raw(SYS_fstat, (u64)fd, (u64)&st, 0, 0) < 0)
        return false;
    *of = (struct hostfd_leaving){fd + 1, st.st_dev, st.st_ino};
    return true;
}

static struct hostfd_leaving *note_leaving(int fd)
{
    for (int i = 0; i < LEAVING_MAX; i++)
        if (!__atomic_load_n(&leaving[i].fd1, __ATOMIC_ACQUIRE))
            return file_of(fd, &leaving[i]) ? &leaving[i] : NULL;
    return NULL;
}

/* A child that shares this memory (vfork, posix_spawn) has descriptors of its own, and the set is not about them. */
s64 hostfd_closing(int fd, s64 (*call)(const u64 *), const u64 *args)
{
    if (!hostfd_is(fd) || (process && raw(SYS_getpid, 0, 0, 0, 0) != process))
        return call(args);
    hostlock_take(&lock); /* HF3 */
    struct hostfd_leaving *noted = note_leaving(fd);
    raw_fcntl(fd, F_SETFD, FD_CLOEXEC);
    let_go(fd);
    remove_fd(fd);
    if (noted)
        hostlock_give(&lock); /* it may wait, for a socket or a server of files */
    s64 r = call(args);
    if (noted)
        __atomic_store_n(&noted->fd1, 0, __ATOMIC_RELEASE);
    else
        hostlock_give(&lock);
    return r;
}

/* HF5: the threads that were about to close them are not there. */
static void close_leaving(void)
{
    for (int i = 0; i < LEAVING_MAX; i++) {
        struct hostfd_leaving *l = &leaving[i], now;
        if (!l->fd1)
            continue;
        if (file_of(l->fd1 - 1, &now) && now.device == l->device && now.inode == l->inode)
            raw_close(l->fd1 - 1);
        l->fd1 = 0;
    }
}

void hostfd_close(int fd)
{
    ASSERT(hostfd_is(fd));
    let_go(fd);
    remove_fd(fd);
    raw_close(fd);
}

void hostfd_close_all(void)
{
    msg_fd = -1;
    for (s64 fd = -1; (fd = hostfd_next((u32)(fd + 1), HOSTFD_MAX)) >= 0;)
        raw_close((int)fd);
    close_leaving();
}

bool hostfd_vacate(int fd)
{
    if (!hostfd_is(fd))
        return true;
    hostlock_take(&lock); /* it may be on its way up */
    hostlock_give(&lock);
    int i = held_slot(fd);
    int *holder = i >= 0 ? held[i].holder : NULL;
    if (!holder)
        return !hostfd_is(fd);
    int other = hostfd_dup_held(fd, holder);
    if (other < 0)
        return false;
    hostfd_close(fd);
    return true;
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

void hostfd_lock(void) { hostlock_take(&lock); }
void hostfd_unlock(void) { hostlock_give(&lock); }

void hostfd_note_process(void) { process = (int)raw(SYS_getpid, 0, 0, 0, 0); }

void hostfd_after_fork(bool child)
{
    if (!child) {
        hostlock_give(&lock);
        return;
    }
    hostlock_reset(&lock);
    close_leaving();
    if (process)
        hostfd_note_process();
}

void hostfd_mark_copies(void)
{
    for (s64 fd = -1; (fd = hostfd_next((u32)(fd + 1), HOSTFD_MAX)) >= 0;)
        raw_fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

void hostfd_before_exec(struct hostfd_exec *saved)
{
    saved->changed = false;
    for (s64 fd = -1; (fd = hostfd_next((u32)(fd + 1), HOSTFD_MAX)) >= 0;) {
        if (raw_fcntl((int)fd, F_GETFD, 0) != 0)
            continue; /* closed by exec */
        if (!saved->changed)
            memset(saved->stays, 0, sizeof saved->stays);
        saved->changed = true;
        saved->stays[fd / 64] |= bit_of((int)fd);
        raw_fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    }
}

void hostfd_exec_failed(const struct hostfd_exec *saved)
{
    for (int i = 0; saved->changed && i < HOSTFD_MAX / 64; i++)
        for (u64 left = saved->stays[i]; left; left &= left - 1)
            raw_fcntl(i * 64 + __builtin_ctzl(left), F_SETFD, 0);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static struct os_stream first_stderr;
static bool is_log; /* messages go to a file of their own */

/* The guest may have put another file of its own in the place of its stderr: that is not ours to write to. */
static int find_stderr(bool *close_after) { return os_stream_find(&first_stderr, close_after); }

static void find_each_time(void)
{
    os_stream_note(&first_stderr, 2);
    msg_find = find_stderr;
    msg_fd = first_stderr.ino ? MSG_FIND : -1;
}

void hostfd_init(bool keep)
{
    if (!keep || hostfd_dup_held(2, &msg_fd) < 0)
        find_each_time();
}

void hostfd_find_messages(void)
{
    if (is_log || !hostfd_is(msg_fd))
        return;
    hostfd_close(msg_fd);
    find_each_time();
}

void hostfd_open_log(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        die(1, "the log file %s cannot be opened: %s", path, strerror(errno));
    if (hostfd_is(msg_fd))
        hostfd_close(msg_fd);
    hostfd_begin();
    msg_fd = (int)hostfd_take(fd);
    hostfd_end(msg_fd);
    hold(msg_fd, &msg_fd);
    is_log = true;
}

/* --- close_range -------------------------------------------------------------------------------------------------- */

static s64 close_range_call(u32 first, u32 last, u32 flags)
{
    return raw(SYS_close_range, first, last, flags, 0);
}

s64 hostfd_close_range(u32 first, u32 last, u32 flags)
{
    enum { UNSHARE = 2, ON_EXEC = 4 };
    if (first > last || (flags & ~(u32)(UNSHARE | ON_EXEC)) || hostfd_next(first, last) < 0)
        return close_range_call(first, last, flags);
    s64 result = 0, fd;
    while (result == 0 && (fd = hostfd_next(first, last)) >= 0) {
        if (fd > first || (flags & UNSHARE)) {
            /* An empty range before a host descriptor still has to unshare the table: the system call unshare does
             * the same. */
            if (fd > first)
                result = close_range_call(first, (u32)fd - 1, flags);
            else
                result = unshare(CLONE_FILES) < 0 ? -errno : 0;
            flags &= ON_EXEC;
        }
        if ((u32)fd == last)
            return result;
        first = (u32)fd + 1;
    }
    return result ? result : close_range_call(first, last, flags);
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

/* Where an entry has its length, of 16 bits, and its name: of getdents64, of the old getdents, and of the old getdents
 * among the 32-bit calls. */
static const struct entry_layout {
    u32 length, name;
} layout_64 = {16, 19}, layout_old = {16, 18}, layout_narrow = {8, 10};

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

static s64 filter(int dirfd, u8 *buf, s64 bytes, const struct entry_layout *l)
{
    u16 length;
    bool suspect = false;
    for (s64 at = 0; at < bytes && !suspect; at += length) {
        const char *name = (const char *)buf + at + l->name;
        memcpy(&length, buf + at + l->length, sizeof length);
        suspect = hides(DIR_FD, name) || hides(DIR_TASK, name) || hides(DIR_MAPS, name);
    }
    /* To find out which directory it is costs two system calls, so this is done only when it matters. */
    enum dir_kind kind = suspect ? kind_of(dirfd) : DIR_OTHER;
    if (kind == DIR_OTHER)
        return bytes;
    s64 to = 0;
    for (s64 at = 0; at < bytes; at += length) {
        memcpy(&length, buf + at + l->length, sizeof length);
        if (hides(kind, (const char *)buf + at + l->name))
            continue;
        memmove(buf + to, buf + at, length);
        to += length;
    }
    return to;
}

s64 hostfd_filter_dirents(int dirfd, void *buf, s64 bytes)
{
    return bytes > 0 ? filter(dirfd, buf, bytes, &layout_64) : bytes;
}

s64 hostfd_filter_dirents_old(int dirfd, void *buf, s64 bytes)
{
    return bytes > 0 ? filter(dirfd, buf, bytes, &layout_old) : bytes;
}

s64 hostfd_filter_dirents_narrow(int dirfd, void *buf, s64 bytes)
{
    return bytes > 0 ? filter(dirfd, buf, bytes, &layout_narrow) : bytes;
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

/* SPDX-License-Identifier: Apache-2.0
 * Files and descriptors. Files in /proc that would show the host are answered by procfs.c; the host's descriptors do
 * not exist for the guest; a write through /proc/self/mem drops the translations of what it has changed. Everything
 * else about files is the kernel's alone. On the guest's thread; the tables have locks of their own. */
#include "arch/arch.h"
#include "os/linux/filefd.h"
#include "os/linux/hostfd.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "os/linux/procfs.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- open --------------------------------------------------------------------------------------------------------- */

static void note_mem_file(int fd);

static bool ends_with_mem(const char *path, s64 length)
{
    return length >= 3 && memcmp(path + length - 3, "mem", 3) == 0;
}

/* Is this a vfork child? Its descriptors are not those that the tables are about. */
static bool other_files(void)
{
    return vm_tc.os.vfork_child || vm_tc.os.foreign_mm;
}

/* A loader maps a library right after it has opened it. The kernel can only say where the path has led. */
static void keep_path(int fd, const char *path, s64 length, int flags)
{
    bool keep = path[0] == '/' && length < OS_OPENED_BYTES && (flags & O_ACCMODE) == O_RDONLY;
    vm_tc.os.opened_fd = fd;
    memcpy(vm_tc.os.opened, path, keep ? (size_t)length : 0);
    vm_tc.os.opened[keep ? length : 0] = 0;
}

const char *sys_opened_path(int fd)
{
    return fd >= 0 && fd == vm_tc.os.opened_fd && vm_tc.os.opened[0] ? vm_tc.os.opened : NULL;
}

static void note_open(int fd, const char *path, s64 length, int flags)
{
    keep_path(fd, path, length, flags);
    if (ends_with_mem(path, length) && (flags & O_ACCMODE) != O_RDONLY)
        note_mem_file(fd);
    if (!other_files() && procfs_opened(fd, path, flags))
        sys_watch_views();
}

static void open_path(int dirfd, u64 path_addr, int flags)
{
    char path[PATH_MAX];
    s64 n = sys_read_path(path, path_addr);
    s64 r = n < 0 ? PROCFS_NOT_OURS : procfs_open(dirfd, path, flags);
    if (r == PROCFS_NOT_OURS)
        r = sys_call();
    if (r >= 0 && n >= 0)
        note_open((int)r, path, n, flags);
    sys_finish(r);
}

void sys_open(void)
{
    open_path(AT_FDCWD, sys_arg(0), (int)sys_arg(1));
}

void sys_openat(void)
{
    open_path((int)sys_arg(0), sys_arg(1), (int)sys_arg(2));
}

/* Every restriction of the path, but that it is cached, forbids links out of /proc or ends at them. */
static bool follows_magic(const struct open_how *how)
{
    return !(how->resolve & ~(u64)RESOLVE_CACHED);
}

void sys_openat2(void)
{
    struct open_how how;
    if (sys_arg(3) < sizeof how || !sys_read(&how, sys_arg(2), sizeof how))
        sys_pass(); /* it will be an error */
    else
        open_path((int)sys_arg(0), sys_arg(1), (int)how.flags | (follows_magic(&how) ? 0 : O_NOFOLLOW));
}

static void read_link(int dirfd, u64 path_addr, u64 buf, u64 room)
{
    char path[PATH_MAX], target[PATH_MAX];
    s64 r = sys_read_path(path, path_addr);
    if (r >= 0)
        r = procfs_readlinkat(dirfd, path, target,
                              (int)room < 0               ? 0
                              : (u32)room < sizeof target ? (u32)room
                                                          : sizeof target);
    else
        r = PROCFS_NOT_OURS;
    if (r == PROCFS_NOT_OURS)
        r = sys_call();
    else if (r >= 0 && !sys_write(buf, target, (size_t)r))
        r = -EFAULT;
    sys_finish(r);
}

void sys_readlink(void)
{
    read_link(AT_FDCWD, sys_arg(0), sys_arg(1), sys_arg(2));
}

void sys_readlinkat(void)
{
    read_link((int)sys_arg(0), sys_arg(1), sys_arg(2), sys_arg(3));
}

/* stat, access and their kin: what is the host's is not there, and where the kernel would follow /proc/self/exe to the
 * engine, they get the program's own name. */
static void follow_path(bool at)
{
    u64 nr = sys_nr();
    char path[PATH_MAX];
    int arg = at ? 1 : 0, flags = nr == SYS_newfstatat ? (int)sys_arg(3) : nr == SYS_statx ? (int)sys_arg(2) : 0;
    const char *program = NULL;
    s64 n = sys_read_path(path, sys_arg(arg));
    if (n > 0 && procfs_is_host_fd(at ? (int)sys_arg(0) : AT_FDCWD, path)) {
        sys_finish(-ENOENT);
        return;
    }
    if (!(flags & AT_SYMLINK_NOFOLLOW) && n > 0)
        program = procfs_exe_path(at ? (int)sys_arg(0) : AT_FDCWD, path);
    if (!program) {
        sys_pass();
        return;
    }
    u64 a[5];
    for (int i = 0; i < 5; i++)
        a[i] = sys_arg(i);
    a[arg] = (u64)program;
    sys_finish(sys_gate(nr, a[0], a[1], a[2], a[3], a[4], 0));
}

void sys_follow_path(void) { follow_path(false); }
void sys_follow_path_at(void) { follow_path(true); }

/* --- the host's descriptors --------------------------------------------------------------------------------------- */

static void note_closing(u32 first, u32 last)
{
    if (LIKELY(!procread_any()) || other_files())
        return;
    procread_closing(first, last);
    if (!procread_any())
        sys_watch_views();
}

static s64 note_duplicate(int from, s64 result)
{
    if (UNLIKELY(procread_any()) && result >= 0 && !other_files())
        procread_duplicated(from, (int)result);
    return result;
}

void sys_close(void)
{
    note_closing((u32)sys_arg(0), (u32)sys_arg(0));
    filefd_begin((u32)sys_arg(0), (u32)sys_arg(0));
    sys_pass();
    filefd_end();
}

void sys_dup(void)
{
    sys_finish(note_duplicate((int)sys_arg(0), sys_call()));
}

#define POLL_MAX 65536
#define POLL_NOBODYS INT_MAX /* a number that nobody has: POLLNVAL */

static bool polls_host_fd(const struct pollfd *p, u64 n)
{
    for (u64 i = 0; i < n; i++)
        if (hostfd_is(p[i].fd))
            return true;
    return false;
}

/* With the host's descriptors replaced; then what has come is given back. */
static s64 poll_copy(struct pollfd *p, u64 n)
{
    u64 *word = arch_syscall_word(&vm_tc.cpu, 0), guest = *word;
    for (u64 i = 0; i < n; i++)
        if (hostfd_is(p[i].fd))
            p[i].fd = POLL_NOBODYS;
    *word = (u64)p;
    s64 r = sys_call();
    *word = guest;
    for (u64 i = 0; r >= 0 && i < n; i++)
        if (!sys_write(guest + i * sizeof *p + offsetof(struct pollfd, revents), &p[i].revents, sizeof p[i].revents))
            r = -EFAULT;
    return r;
}

void sys_poll(void)
{
    u64 n = (u32)sys_arg(1), bytes = n * sizeof(struct pollfd);
    struct pollfd few[16], *p = n <= ARRAY_LEN(few) ? few : n <= POLL_MAX ? malloc(bytes) : NULL;
    if (p && sys_read(p, sys_arg(0), bytes) && polls_host_fd(p, n))
        sys_finish(poll_copy(p, n));
    else
        sys_pass();
    if (p != few)
        free(p);
}

/* dup2 and dup3 */
void sys_dup2(void)
{
    int from = (int)sys_arg(0), to = (int)sys_arg(1);
    if (from != to && hostfd_is(to) && (fcntl(from, F_GETFD) < 0 || !hostfd_vacate(to))) {
        sys_finish(-EBADF);
        return;
    }
    filefd_begin((u32)to, (u32)to);
    sys_finish(note_duplicate(from, sys_call()));
    filefd_end();
}

static int fd_limit(void)
{
    struct rlimit r;
    s64 err = arch_raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (u64)&r, 0, 0); /* libc is told the host's */
    return err < 0 || r.rlim_cur > 65536 ? 65536 : (int)r.rlim_cur;
}

/* One of ours in [from, end) that can be moved out of the guest's way, and is. */
static bool vacate_one(int from, int end)
{
    for (s64 ours = from; (ours = hostfd_next((u32)ours, (u32)end - 1)) >= 0; ours++)
        if (hostfd_vacate((int)ours))
            return true;
    return false;
}

/* The guest gets the lowest number that is not its own; one of ours in the way is moved, or left out if that cannot
 * be. */
static s64 dup_above(void)
{
    int from = (int)sys_arg(2);
    for (;;) {
        s64 r = sys_call();
        if (from < 0 || (r < 0 && r != -EMFILE))
            return r;
        int end = r < 0 ? fd_limit() : (int)r;
        if (end <= from || hostfd_next((u32)from, (u32)end - 1) < 0)
            return r;
        if (r >= 0)
            close((int)r);
        if (!vacate_one(from, end))
            return sys_call();
    }
}

void sys_fcntl(void)
{
    int command = (int)sys_arg(1);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        sys_finish(note_duplicate((int)sys_arg(0), dup_above()));
    else
        sys_pass();
}

void sys_close_range(void)
{
    if (!((u32)sys_arg(2) & CLOSE_RANGE_CLOEXEC))
        note_closing((u32)sys_arg(0), (u32)sys_arg(1));
    if ((u32)sys_arg(2) & CLOSE_RANGE_UNSHARE)
        filefd_off();
    filefd_begin((u32)sys_arg(0), (u32)sys_arg(1));
    sys_finish(hostfd_close_range((u32)sys_arg(0), (u32)sys_arg(1), (u32)sys_arg(2)));
    filefd_end();
}

/* Its requests close descriptors and make others, and nobody sees them. */
void sys_uring_setup(void)
{
    filefd_off();
    sys_pass();
}

/* The buffer is the guest's: the kernel has just written it, so it is there; what follows works on a copy all the
 * same. */
s64 sys_filter_dirents(int fd, u64 at, s64 bytes, s64 (*filter)(int, void *, s64))
{
    if (bytes <= 0)
        return bytes;
    s64 left = -ENOMEM;
    u8 *buf = malloc((size_t)bytes);
    if (buf)
        left = sys_read(buf, at, (size_t)bytes) ? filter(fd, buf, bytes) : -EFAULT;
    if (left >= 0 && left != bytes && !sys_write(at, buf, (size_t)left))
        left = -EFAULT;
    free(buf);
    return left;
}

static void getdents(s64 (*filter)(int, void *, s64))
{
    s64 r, left;
    do {
        r = sys_call();
        left = sys_filter_dirents((int)sys_arg(0), sys_arg(1), r, filter);
    } while (r > 0 && left == 0); /* all entries were the host's, but it is not the end of the directory */
    sys_finish(left);
}

void sys_getdents64(void)
{
    getdents(hostfd_filter_dirents);
}

void sys_getdents(void)
{
    getdents(hostfd_filter_dirents_old);
}

/* --- files of /proc that are changed when they are read ----------------------------------------------------------- */

#define PROCMAP_QUERY_TYPE 'f' /* ioctl of maps that tells one mapping; Linux 6.11 */
#define PROCMAP_QUERY_NR 17

#define USER_END ((1ul << 47) - PAGE_BYTES)
#define MAX_READ (INT_MAX & ~(PAGE_BYTES - 1)) /* the most that one call reads */

/* The error that the kernel would return for a buffer before it looks at the file. */
static s64 check_buffer(u64 addr, u64 bytes)
{
    return addr > USER_END || bytes > USER_END - addr ? -EFAULT : 0;
}

static s64 check_buffers(u64 addr, u64 count)
{
    struct iovec v;
    s64 r = count > IOV_MAX ? -EINVAL : 0;
    for (u64 i = 0; i < count && !r; i++)
        if (!sys_read(&v, addr + i * sizeof v, sizeof v))
            r = -EFAULT;
        else if ((s64)v.iov_len < 0)
            r = -EINVAL;
        else
            r = check_buffer((u64)v.iov_base, count == 1 && v.iov_len > MAX_READ ? MAX_READ : v.iov_len);
    return r;
}

static u64 iovec_bytes(u64 addr, u64 count)
{
    u64 sum = 0;
    struct iovec v;
    for (u64 i = 0; i < count && i < IOV_MAX && sys_read(&v, addr + i * sizeof v, sizeof v); i++)
        sum += v.iov_len;
    return sum;
}

/* Writes to the guest's buffers. Returns how many bytes, up to the first that cannot be written. */
static size_t scatter(u64 addr, u64 count, const char *from, size_t bytes)
{
    struct iovec v;
    size_t done = 0;
    for (u64 i = 0; i < count && done < bytes && sys_read(&v, addr + i * sizeof v, sizeof v); i++) {
        size_t want = v.iov_len < bytes - done ? v.iov_len : bytes - done,
               n = sys_write_some((u64)v.iov_base, from + done, want);
        done += n;
        if (n < want)
            break;
    }
    return done;
}

static s64 read_view(int fd, u64 nr)
{
    char text[PROCREAD_MAX + 1];
    bool vector = nr != SYS_read && nr != SYS_pread64,
         current = nr == SYS_read || nr == SYS_readv || (nr == SYS_preadv2 && sys_arg(3) == ~0ul);
    u64 want = vector ? iovec_bytes(sys_arg(1), sys_arg(2)) : sys_arg(2);
    if (!current && (s64)sys_arg(3) < 0)
        return -EINVAL;
    s64 r = vector ? check_buffers(sys_arg(1), sys_arg(2)) : check_buffer(sys_arg(1), want);
    if (!r && want && nr == SYS_preadv2 && (u32)sys_arg(5) & ~(u32)RWF_HIPRI)
        r = -EOPNOTSUPP; /* as for any file of /proc */
    if (!r)
        r = procread_read(fd, current ? -1 : (s64)sys_arg(3), text, want < PAGE_BYTES ? want : PAGE_BYTES);
    if (r <= 0)
        return r;
    s64 done =
        (s64)(vector ? scatter(sys_arg(1), sys_arg(2), text, (size_t)r) : sys_write_some(sys_arg(1), text, (size_t)r));
    if (done < r && current)
        procread_seek(fd, done - r, SEEK_CUR);
    return done ? done : -EFAULT;
}

/* read, pread64, readv, preadv, preadv2, lseek, ioctl */
void sys_view(void)
{
    u64 nr = sys_nr(), command = sys_arg(1);
    int fd = (int)sys_arg(0);
    s64 r = PROCFS_NOT_OURS;
    if (procread_is(fd) && !other_files()) {
        if (nr == SYS_lseek)
            r = procread_seek(fd, (s64)command, (int)sys_arg(2));
        else if (nr != SYS_ioctl)
            r = read_view(fd, nr);
        else if ((command >> 8 & 0xff) == PROCMAP_QUERY_TYPE && (command & 0xff) == PROCMAP_QUERY_NR)
            r = -ENOTTY; /* as on older kernels */
    }
    sys_finish(r == PROCFS_NOT_OURS ? sys_call() : r);
}

/* --- /proc/self/mem ----------------------------------------------------------------------------------------------- */

#define MEM_FILES 16
static struct {
    dev_t dev;
    ino_t ino;
} mem_files[MEM_FILES];
static u32 nmem_files;

static bool names_own_memory(int fd)
{
    char link[64], name[64], own[32];
    base_format(link, sizeof link, "/proc/thread-self/fd/%d", fd);
    ssize_t n = readlink(link, name, sizeof name - 1);
    if (n <= 0)
        return false;
    name[n] = 0;
    int k = base_format(own, sizeof own, "/proc/%d/", getpid());
    return strncmp(name, own, (size_t)k) == 0 && strcmp(name + n - 4, "/mem") == 0;
}

static bool is_mem_file(int fd)
{
    struct stat st;
    u32 n = __atomic_load_n(&nmem_files, __ATOMIC_ACQUIRE);
    if (!n || fstat(fd, &st) < 0)
        return false;
    if (n > MEM_FILES)
        return names_own_memory(fd);
    for (u32 i = 0; i < n; i++)
        if (mem_files[i].dev == st.st_dev && mem_files[i].ino == st.st_ino)
            return true;
    return false;
}

bool sys_mem_files(void) { return __atomic_load_n(&nmem_files, __ATOMIC_ACQUIRE); }

/* fd is /proc/self/mem, open for writing: from now on writes to files are looked at. */
static void note_mem_file(int fd)
{
    struct stat st;
    if (!names_own_memory(fd) || is_mem_file(fd) || fstat(fd, &st) < 0)
        return;
    mem_lock();
    if (nmem_files < MEM_FILES) {
        mem_files[nmem_files].dev = st.st_dev;
        mem_files[nmem_files].ino = st.st_ino;
    }
    if (nmem_files <= MEM_FILES)
        __atomic_store_n(&nmem_files, nmem_files + 1, __ATOMIC_RELEASE);
    mem_unlock();
    sys_watch_class(CLASS_MEM_FILE);
}

void sys_write_file(void)
{
    u64 nr = sys_nr();
    int fd = (int)sys_arg(0);
    if (!is_mem_file(fd)) {
        sys_pass();
        return;
    }
    bool vector = nr == SYS_writev || nr == SYS_pwritev || nr == SYS_pwritev2;
    bool current = nr == SYS_write || nr == SYS_writev || (nr == SYS_pwritev2 && sys_arg(3) == ~0ul);
    u64 bytes = vector ? iovec_bytes(sys_arg(1), sys_arg(2)) : sys_arg(2);
    u64 at = current ? (u64)lseek(fd, 0, SEEK_CUR) : sys_arg(3), end;
    if (__builtin_add_overflow(at, bytes, &end) || hostmem_overlaps(at, end)) {
        sys_finish(-EIO); /* as where nothing is mapped */
        return;
    }
    s64 r = sys_call();
    if (r > 0)
        os_events.code_changed(at, at + (u64)r);
    sys_finish(r);
}

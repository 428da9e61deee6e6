// SPDX-License-Identifier: Apache-2.0
// Names of the flags and values of system calls: which call has which set at which argument, and the sets. Values are those of the headers here, so of x86_64; nearly all are those of i386, too.
#ifndef SYSCALLNAMES_H
#define SYSCALLNAMES_H
#include <arpa/inet.h>
#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>

// A value with one name. In a set of bits it is there when (word & mask) == value; what is not a single bit has the mask of its field.
struct NamedValue {
    const char *name;
    UINT64 value, mask;
};
#define BIT(name) {#name, UINT64(name), UINT64(name)}
#define PART(name, field) {#name, UINT64(name), UINT64(field)}
#define IS(name) {#name, UINT64(name), ~UINT64(0)}
#define SET(set, ...) static const NamedValue set[] = {__VA_ARGS__, {0, 0, 0}}

SET(open_names, PART(O_RDONLY, O_ACCMODE), PART(O_WRONLY, O_ACCMODE), PART(O_RDWR, O_ACCMODE), BIT(O_CREAT), BIT(O_EXCL), BIT(O_NOCTTY), BIT(O_TRUNC), BIT(O_APPEND), BIT(O_NONBLOCK), BIT(O_SYNC),
    BIT(O_DSYNC), BIT(O_ASYNC), BIT(O_DIRECT), {"O_LARGEFILE", 0100000, 0100000}, BIT(O_TMPFILE), BIT(O_DIRECTORY), BIT(O_NOFOLLOW), BIT(O_NOATIME), BIT(O_CLOEXEC), BIT(O_PATH));
SET(fd_names, BIT(O_CLOEXEC), BIT(O_NONBLOCK), BIT(O_DIRECT));
SET(prot_names, IS(PROT_NONE), BIT(PROT_READ), BIT(PROT_WRITE), BIT(PROT_EXEC), BIT(PROT_GROWSDOWN), BIT(PROT_GROWSUP));
SET(map_names, PART(MAP_SHARED, MAP_TYPE), PART(MAP_PRIVATE, MAP_TYPE), PART(MAP_SHARED_VALIDATE, MAP_TYPE), BIT(MAP_FIXED), BIT(MAP_ANONYMOUS), BIT(MAP_GROWSDOWN), BIT(MAP_DENYWRITE), BIT(MAP_LOCKED),
    BIT(MAP_NORESERVE), BIT(MAP_POPULATE), BIT(MAP_NONBLOCK), BIT(MAP_STACK), BIT(MAP_HUGETLB), BIT(MAP_FIXED_NOREPLACE));
SET(remap_names, BIT(MREMAP_MAYMOVE), BIT(MREMAP_FIXED), BIT(MREMAP_DONTUNMAP));
SET(msync_names, BIT(MS_ASYNC), BIT(MS_INVALIDATE), BIT(MS_SYNC));
SET(advice_names, IS(MADV_NORMAL), IS(MADV_RANDOM), IS(MADV_SEQUENTIAL), IS(MADV_WILLNEED), IS(MADV_DONTNEED), IS(MADV_FREE), IS(MADV_REMOVE), IS(MADV_DONTFORK), IS(MADV_DOFORK), IS(MADV_MERGEABLE),
    IS(MADV_UNMERGEABLE), IS(MADV_HUGEPAGE), IS(MADV_NOHUGEPAGE), IS(MADV_DONTDUMP), IS(MADV_DODUMP), IS(MADV_WIPEONFORK), IS(MADV_KEEPONFORK), IS(MADV_COLD), IS(MADV_PAGEOUT));
SET(fadvice_names, IS(POSIX_FADV_NORMAL), IS(POSIX_FADV_RANDOM), IS(POSIX_FADV_SEQUENTIAL), IS(POSIX_FADV_WILLNEED), IS(POSIX_FADV_DONTNEED), IS(POSIX_FADV_NOREUSE));
SET(at_names, BIT(AT_SYMLINK_NOFOLLOW), BIT(AT_SYMLINK_FOLLOW), BIT(AT_NO_AUTOMOUNT), BIT(AT_EMPTY_PATH), BIT(AT_STATX_FORCE_SYNC), BIT(AT_STATX_DONT_SYNC));
SET(statx_names, {"AT_STATX_SYNC_AS_STAT", 0, 0x6000}, BIT(AT_SYMLINK_NOFOLLOW), BIT(AT_NO_AUTOMOUNT), BIT(AT_EMPTY_PATH), BIT(AT_STATX_FORCE_SYNC), BIT(AT_STATX_DONT_SYNC));
SET(unlink_names, BIT(AT_REMOVEDIR));
SET(eaccess_names, BIT(AT_EACCESS), BIT(AT_SYMLINK_NOFOLLOW), BIT(AT_EMPTY_PATH));
SET(mask_names, PART(STATX_ALL, 0xfff), PART(STATX_BASIC_STATS, 0x7ff), BIT(STATX_TYPE), BIT(STATX_MODE), BIT(STATX_NLINK), BIT(STATX_UID), BIT(STATX_GID), BIT(STATX_ATIME), BIT(STATX_MTIME), BIT(STATX_CTIME),
    BIT(STATX_INO), BIT(STATX_SIZE), BIT(STATX_BLOCKS), BIT(STATX_BTIME), {"STATX_MNT_ID", 0x1000, 0x1000});
SET(access_names, IS(F_OK), BIT(R_OK), BIT(W_OK), BIT(X_OK));
SET(whence_names, IS(SEEK_SET), IS(SEEK_CUR), IS(SEEK_END), IS(SEEK_DATA), IS(SEEK_HOLE));
SET(mask_how_names, IS(SIG_BLOCK), IS(SIG_UNBLOCK), IS(SIG_SETMASK));
SET(family_names, IS(AF_UNSPEC), IS(AF_UNIX), IS(AF_INET), IS(AF_INET6), IS(AF_NETLINK), IS(AF_PACKET), IS(AF_VSOCK), IS(AF_ALG));
SET(type_names, PART(SOCK_STREAM, 0xf), PART(SOCK_DGRAM, 0xf), PART(SOCK_RAW, 0xf), PART(SOCK_SEQPACKET, 0xf), BIT(SOCK_CLOEXEC), BIT(SOCK_NONBLOCK));
SET(accept_names, BIT(SOCK_CLOEXEC), BIT(SOCK_NONBLOCK));
SET(shut_names, IS(SHUT_RD), IS(SHUT_WR), IS(SHUT_RDWR));
SET(message_names, BIT(MSG_OOB), BIT(MSG_PEEK), BIT(MSG_DONTROUTE), BIT(MSG_TRUNC), BIT(MSG_DONTWAIT), BIT(MSG_WAITALL), BIT(MSG_NOSIGNAL), BIT(MSG_MORE), BIT(MSG_WAITFORONE), BIT(MSG_CMSG_CLOEXEC));
SET(level_names, IS(SOL_SOCKET), IS(SOL_IP), {"SOL_TCP", 6, ~UINT64(0)}, {"SOL_UDP", 17, ~UINT64(0)}, IS(SOL_IPV6));
SET(clone_names, BIT(CLONE_VM), BIT(CLONE_FS), BIT(CLONE_FILES), BIT(CLONE_SIGHAND), BIT(CLONE_PIDFD), BIT(CLONE_PTRACE), BIT(CLONE_VFORK), BIT(CLONE_PARENT), BIT(CLONE_THREAD), BIT(CLONE_NEWNS), BIT(CLONE_SYSVSEM),
    BIT(CLONE_SETTLS), BIT(CLONE_PARENT_SETTID), BIT(CLONE_CHILD_CLEARTID), BIT(CLONE_DETACHED), BIT(CLONE_UNTRACED), BIT(CLONE_CHILD_SETTID), BIT(CLONE_NEWCGROUP), BIT(CLONE_NEWUTS), BIT(CLONE_NEWIPC),
    BIT(CLONE_NEWUSER), BIT(CLONE_NEWPID), BIT(CLONE_NEWNET), BIT(CLONE_IO), PART(SIGCHLD, 0xff));
SET(wait_names, BIT(WNOHANG), BIT(WSTOPPED), BIT(WEXITED), BIT(WCONTINUED), BIT(WNOWAIT), BIT(__WNOTHREAD), BIT(__WALL), BIT(__WCLONE));
SET(idtype_names, IS(P_ALL), IS(P_PID), IS(P_PGID), IS(P_PIDFD));
SET(clock_names, IS(CLOCK_REALTIME), IS(CLOCK_MONOTONIC), IS(CLOCK_PROCESS_CPUTIME_ID), IS(CLOCK_THREAD_CPUTIME_ID), IS(CLOCK_MONOTONIC_RAW), IS(CLOCK_REALTIME_COARSE), IS(CLOCK_MONOTONIC_COARSE), IS(CLOCK_BOOTTIME));
SET(timer_names, BIT(TIMER_ABSTIME));
SET(timerfd_names, BIT(TFD_CLOEXEC), BIT(TFD_NONBLOCK));
SET(timerfd_set_names, BIT(TFD_TIMER_ABSTIME), BIT(TFD_TIMER_CANCEL_ON_SET));
SET(itimer_names, IS(ITIMER_REAL), IS(ITIMER_VIRTUAL), IS(ITIMER_PROF));
SET(who_names, IS(RUSAGE_SELF), {"RUSAGE_CHILDREN", 0xffffffff, ~UINT64(0)}, IS(RUSAGE_THREAD));
SET(resource_names, IS(RLIMIT_CPU), IS(RLIMIT_FSIZE), IS(RLIMIT_DATA), IS(RLIMIT_STACK), IS(RLIMIT_CORE), IS(RLIMIT_RSS), IS(RLIMIT_NPROC), IS(RLIMIT_NOFILE), IS(RLIMIT_MEMLOCK), IS(RLIMIT_AS), IS(RLIMIT_LOCKS),
    IS(RLIMIT_SIGPENDING), IS(RLIMIT_MSGQUEUE), IS(RLIMIT_NICE), IS(RLIMIT_RTPRIO), IS(RLIMIT_RTTIME));
SET(fcntl_names, IS(F_DUPFD), IS(F_GETFD), IS(F_SETFD), IS(F_GETFL), IS(F_SETFL), IS(F_GETLK), IS(F_SETLK), IS(F_SETLKW), IS(F_SETOWN), IS(F_GETOWN), IS(F_DUPFD_CLOEXEC), IS(F_SETPIPE_SZ), IS(F_GETPIPE_SZ),
    IS(F_ADD_SEALS), IS(F_GET_SEALS));
SET(ioctl_names, IS(TCGETS), IS(TCSETS), IS(TCSETSW), IS(TCSETSF), IS(TIOCGPGRP), IS(TIOCSPGRP), IS(TIOCGWINSZ), IS(TIOCSWINSZ), IS(FIONREAD), IS(FIONBIO), IS(FIOCLEX), IS(FIONCLEX), IS(TIOCSCTTY), IS(TIOCNOTTY));
SET(epoll_create_names, BIT(EPOLL_CLOEXEC));
SET(inotify_names, BIT(IN_CLOEXEC), BIT(IN_NONBLOCK));
SET(signalfd_names, BIT(SFD_CLOEXEC), BIT(SFD_NONBLOCK));
SET(epoll_op_names, IS(EPOLL_CTL_ADD), IS(EPOLL_CTL_DEL), IS(EPOLL_CTL_MOD));
SET(epoll_names, BIT(EPOLLIN), BIT(EPOLLPRI), BIT(EPOLLOUT), BIT(EPOLLERR), BIT(EPOLLHUP), BIT(EPOLLRDHUP), BIT(EPOLLEXCLUSIVE), BIT(EPOLLWAKEUP), BIT(EPOLLONESHOT), BIT(EPOLLET));
SET(poll_names, BIT(POLLIN), BIT(POLLPRI), BIT(POLLOUT), BIT(POLLERR), BIT(POLLHUP), BIT(POLLNVAL), BIT(POLLRDNORM), BIT(POLLRDBAND), BIT(POLLWRNORM), BIT(POLLRDHUP));
SET(eventfd_names, BIT(EFD_CLOEXEC), BIT(EFD_NONBLOCK), BIT(EFD_SEMAPHORE));
SET(memfd_names, BIT(MFD_CLOEXEC), BIT(MFD_ALLOW_SEALING), BIT(MFD_HUGETLB));
SET(random_names, BIT(GRND_NONBLOCK), BIT(GRND_RANDOM));
SET(rename_names, BIT(RENAME_NOREPLACE), BIT(RENAME_EXCHANGE), BIT(RENAME_WHITEOUT));
SET(futex_names, PART(FUTEX_WAIT, 0x7f), PART(FUTEX_WAKE, 0x7f), PART(FUTEX_REQUEUE, 0x7f), PART(FUTEX_CMP_REQUEUE, 0x7f), PART(FUTEX_WAKE_OP, 0x7f), PART(FUTEX_LOCK_PI, 0x7f), PART(FUTEX_UNLOCK_PI, 0x7f),
    PART(FUTEX_TRYLOCK_PI, 0x7f), PART(FUTEX_WAIT_BITSET, 0x7f), PART(FUTEX_WAKE_BITSET, 0x7f), BIT(FUTEX_PRIVATE_FLAG), BIT(FUTEX_CLOCK_REALTIME));
SET(prctl_names, IS(PR_SET_PDEATHSIG), IS(PR_GET_DUMPABLE), IS(PR_SET_DUMPABLE), IS(PR_SET_NAME), IS(PR_GET_NAME), IS(PR_SET_SECCOMP), IS(PR_GET_SECCOMP), IS(PR_CAPBSET_READ), IS(PR_SET_TIMERSLACK),
    IS(PR_GET_TIMERSLACK), IS(PR_SET_CHILD_SUBREAPER), IS(PR_SET_NO_NEW_PRIVS), IS(PR_GET_NO_NEW_PRIVS), {"PR_SET_VMA", 0x53564d41, ~UINT64(0)});
SET(arch_names, IS(ARCH_SET_GS), IS(ARCH_SET_FS), IS(ARCH_GET_FS), IS(ARCH_GET_GS));
SET(action_names, {"SA_RESTORER", 0x4000000, 0x4000000}, BIT(SA_ONSTACK), BIT(SA_RESTART), BIT(SA_NODEFER), BIT(SA_RESETHAND), BIT(SA_SIGINFO), BIT(SA_NOCLDSTOP), BIT(SA_NOCLDWAIT));
SET(stack_names, BIT(SS_ONSTACK), BIT(SS_DISABLE), {"SS_AUTODISARM", 1u << 31, 1u << 31});
SET(file_names, PART(S_IFREG, S_IFMT), PART(S_IFDIR, S_IFMT), PART(S_IFCHR, S_IFMT), PART(S_IFBLK, S_IFMT), PART(S_IFIFO, S_IFMT), PART(S_IFLNK, S_IFMT), PART(S_IFSOCK, S_IFMT));
#undef BIT
#undef PART
#undef IS
#undef SET

// The first row that fits: calls whose names begin so (a name that ends with $: that call alone), and the argument.
static const struct {
    const char *call, *argument;
    const NamedValue *names;
} syscall_names[] = {
    {"openat2$", "flags", 0}, {"open_by_handle_at$", "flags", open_names}, {"open_tree$", "flags", 0}, {"open$", "flags", open_names}, {"openat$", "flags", open_names}, {"pipe2$", "flags", fd_names}, {"dup3$", "flags", fd_names},
    {"mmap", "prot", prot_names}, {"mmap", "flags", map_names}, {"mprotect$", "prot", prot_names}, {"pkey_mprotect$", "prot", prot_names}, {"mremap$", "flags", remap_names}, {"msync$", "flags", msync_names},
    {"madvise$", "advice", advice_names}, {"process_madvise$", "advice", advice_names}, {"fadvise64", "advice", fadvice_names}, {"newfstatat$", "flags", at_names}, {"fstatat64$", "flags", at_names}, {"linkat$", "flags", at_names},
    {"fchownat$", "flags", at_names}, {"utimensat", "flags", at_names}, {"execveat$", "flags", at_names}, {"statx$", "flags", statx_names}, {"statx$", "mask", mask_names}, {"unlinkat$", "flags", unlink_names},
    {"access$", "mode", access_names}, {"faccessat", "mode", access_names}, {"faccessat2$", "flags", eaccess_names}, {"lseek$", "whence", whence_names}, {"rt_sigprocmask$", "how", mask_how_names},
    {"socket", "domain", family_names}, {"socket", "type", type_names}, {"accept4$", "flags", accept_names}, {"shutdown$", "how", shut_names}, {"send", "flags", message_names}, {"recv", "flags", message_names},
    {"setsockopt$", "level", level_names}, {"getsockopt$", "level", level_names}, {"clone$", "flags", clone_names}, {"unshare$", "flags", clone_names}, {"setns$", "type", clone_names}, {"wait4$", "options", wait_names},
    {"waitid$", "options", wait_names}, {"waitid$", "which", idtype_names}, {"clock_nanosleep", "flags", timer_names}, {"timer_settime", "flags", timer_names}, {"timerfd_settime", "flags", timerfd_set_names}, {"timerfd_create$", "flags", timerfd_names}, {"", "clock", clock_names},
    {"getitimer$", "which", itimer_names}, {"setitimer$", "which", itimer_names}, {"getrusage$", "who", who_names}, {"", "resource", resource_names}, {"fcntl", "cmd", fcntl_names}, {"ioctl$", "cmd", ioctl_names},
    {"epoll_ctl$", "op", epoll_op_names}, {"epoll_create1$", "flags", epoll_create_names}, {"inotify_init1$", "flags", inotify_names}, {"signalfd4$", "flags", signalfd_names}, {"eventfd2$", "flags", eventfd_names},
    {"memfd_create$", "flags", memfd_names}, {"getrandom$", "flags", random_names}, {"renameat2$", "flags", rename_names}, {"futex$", "op", futex_names}, {"futex_time64$", "op", futex_names}, {"prctl$", "option", prctl_names},
    {"arch_prctl$", "option", arch_names},
};

// NULL: it has no names.
static inline const NamedValue *NamesOf(const std::string &call, const std::string &argument)
{
    for (const auto &row : syscall_names)
        if (argument == row.argument && (call + "$").compare(0, strlen(row.call), row.call) == 0)
            return row.names;
    return 0;
}

// Names with | between them, and what has none in hexadecimal; a value of a list that has no name as it is.
static inline std::string Named(const NamedValue *names, UINT64 value)
{
    std::string text;
    UINT64 left = value;
    for (const NamedValue *n = names; n->name; n++) {
        if (n->mask == ~UINT64(0) ? value != n->value : (left & n->mask) != n->value || (!n->value && !n->mask))
            continue;
        text += (text.empty() ? "" : "|") + std::string(n->name);
        left &= n->mask == ~UINT64(0) ? 0 : ~n->mask;
    }
    if (left || text.empty())
        text += (text.empty() ? "" : "|") + (left ? hexstr(left) : std::string("0"));
    return text;
}

#endif

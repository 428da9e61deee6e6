// SPDX-License-Identifier: Apache-2.0
// Calls with more than one mistake, or one that only the kernel's own checks find: the same error as natively.
#include "b_check.h"
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define THREAD (CLONE_VM | CLONE_SIGHAND | CLONE_THREAD)

static char stack[16384] __attribute__((aligned(64)));

static void tell(const char *what, long result)
{
    say("%s: %ld %d\n", what, result, errno);
}

static void ask_clone3(const char *what, struct clone_args *a, size_t bytes)
{
    long r = syscall(SYS_clone3, a, bytes);
    if (r == 0)
        _exit(0);
    say("clone3 %s: %d\n", what, r < 0 ? errno : 0);
}

static void clone3_checks(void)
{
    int word = 0;
    struct clone_args good = {.exit_signal = SIGCHLD}, a;
    a = good, a.set_tid_size = 1;
    ask_clone3("tids missing", &a, sizeof a);
    a = good, a.set_tid = (unsigned long)&word;
    ask_clone3("no tids", &a, sizeof a);
    a = good, a.set_tid = (unsigned long)&word, a.set_tid_size = 33;
    ask_clone3("too many tids", &a, sizeof a);
    a = good, a.set_tid = 8, a.set_tid_size = 1;
    ask_clone3("tids nowhere", &a, sizeof a);
    a = good, a.exit_signal = 65;
    ask_clone3("signal", &a, sizeof a);
    a = good, a.flags = 1ul << 40;
    ask_clone3("unknown flag", &a, sizeof a);
    a = good, a.flags = CLONE_PIDFD | CLONE_PARENT_SETTID, a.pidfd = a.parent_tid = (unsigned long)&word;
    ask_clone3("one place for two", &a, sizeof a);
    a = good, a.stack = 1ul << 62, a.stack_size = 4096;
    ask_clone3("stack", &a, sizeof a);
    a = good, a.flags = CLONE_INTO_CGROUP, a.cgroup = 1ul << 40;
    ask_clone3("cgroup", &a, sizeof a);
    a = good, a.flags = THREAD | CLONE_INTO_CGROUP, a.exit_signal = 0, a.stack = (unsigned long)stack, a.stack_size = sizeof stack;
    ask_clone3("thread, no cgroup", &a, sizeof a);
    a.cgroup = 999;
    ask_clone3("thread, no descriptor of a cgroup", &a, sizeof a);
    a = good, a.flags = THREAD | CLONE_FS | CLONE_NEWNS, a.exit_signal = 0, a.stack = (unsigned long)stack, a.stack_size = sizeof stack;
    ask_clone3("file system, twice", &a, sizeof a);
}

static void clone_checks(void)
{
    int word = 0;
    tell("clone, one place for two", syscall(SYS_clone, THREAD | CLONE_PIDFD | CLONE_PARENT_SETTID, stack + sizeof stack, &word, 0, 0));
    tell("clone, detached with a descriptor", syscall(SYS_clone, THREAD | CLONE_PIDFD | CLONE_DETACHED, stack + sizeof stack, &word, 0, 0));
    int lowest = dup(0);
    tell("clone, nowhere to put the descriptor", syscall(SYS_clone, THREAD | CLONE_PIDFD, stack + sizeof stack, 8, 0, 0));
    CHECK(close(lowest) == 0 && dup(0) == lowest && close(lowest) == 0);
    tell("clone, thread with users", syscall(SYS_clone, THREAD | CLONE_NEWUSER, stack + sizeof stack, 0, 0, 0));
}

static void seccomp_checks(void)
{
    struct sock_filter one = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog nowhere = {1, (void *)8}, empty = {0, &one};
    CHECK_ERR(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1u << 30, 8), EINVAL);
    CHECK_ERR(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 8), EFAULT);
    tell("filter nowhere", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &nowhere));
    tell("filter empty", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &empty));
}

/* /proc/self/maps is read by the engine. */
static void read_checks(void)
{
    char buf[64];
    int fd = open("/proc/self/maps", O_RDONLY);
    struct iovec negative[2] = {{buf, 8}, {buf, ~0ul}}, far[2] = {{buf, 8}, {buf, 1ul << 47}};
    CHECK_ERR(syscall(SYS_read, fd, buf, 1ul << 47), EFAULT);
    CHECK_ERR(syscall(SYS_read, fd, 1ul << 63, 8), EFAULT);
    CHECK_ERR(syscall(SYS_readv, fd, negative, 2), EINVAL);
    CHECK_ERR(syscall(SYS_readv, fd, far, 2), EFAULT);
    CHECK_ERR(syscall(SYS_readv, fd, negative, 1025), EINVAL);
    CHECK_ERR(syscall(SYS_readv, fd, 8, 1), EFAULT);
    CHECK_ERR(syscall(SYS_preadv2, fd, &(struct iovec){buf, 8}, 1, 0, 0, RWF_NOWAIT), EOPNOTSUPP);
    CHECK(syscall(SYS_preadv2, fd, &(struct iovec){buf, 8}, 1, 0, 0, RWF_HIPRI) == 8);
}

/* A word that is half on a page that is not there is not written. */
static void half_a_word(void)
{
    char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *head;
    struct clone_args *a = (struct clone_args *)(p + 4096 - 100);
    CHECK(p != MAP_FAILED && munmap(p + 4096, 4096) == 0);
    CHECK_ERR(syscall(SYS_get_robust_list, 0, &head, p + 4092), EFAULT);
    CHECK_ERR(syscall(SYS_prctl, 40 /* PR_GET_TID_ADDRESS */, p + 4092, 0, 0, 0), EFAULT);
    CHECK(*(int *)(p + 4092) == 0);
    int fd = open("/proc/self/maps", O_RDONLY); /* but as much of a text as there is room for */
    struct iovec two[2] = {{p, 8}, {p + 4096 - 40, 1000}};
    CHECK(read(fd, p + 4096 - 100, 500) == 100 && readv(fd, two, 2) == 48 && lseek(fd, 0, SEEK_CUR) == 148);
    CHECK(*(int *)(p + 4092) != 0 && close(fd) == 0);
    memset(a, 1, 100);
    CHECK_ERR(syscall(SYS_clone3, a, 120), E2BIG); /* what is too much is found before the end */
}

int main(void)
{
    half_a_word();
    CHECK(syscall(SYS_rt_sigpending, 1ul << 63, 0) == 0); /* nothing to write */
    clone3_checks();
    clone_checks();
    seccomp_checks();
    read_checks();
    char link[64];
    CHECK_ERR(syscall(SYS_readlink, "/proc/self/exe", link, 1ul << 47), EINVAL); /* an int */
    CHECK_ERR(syscall(SYS_mmap, 0, 1ul << 39, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 1), EINVAL);
    CHECK_ERR(syscall(SYS_mincore, half_a_word, 1ul << 63, 8), EINVAL);
    CHECK_ERR(syscall(SYS_mincore, (unsigned long)half_a_word & ~4095ul, 1ul << 63, 8), ENOMEM);
    tell("shadow stack", syscall(453, 0, 0, 0));
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * hostfd.c: placing under various limits, close_range around ours, directories without us. */
#include "unit.h"

#include "arch/arch.h"
#include "os/linux/hostfd.h"
#include "os/hostmem.h"
#include "os/linux/signal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void test_dup(void **state)
{
    (void)state;
    struct rlimit before, after;
    getrlimit(RLIMIT_NOFILE, &before);
    int low = open("/dev/null", O_RDONLY), high = os_hidden_dup(low);
    getrlimit(RLIMIT_NOFILE, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(high > 256);
    close(low);
    assert_int_equal(fcntl(high, F_GETFD), FD_CLOEXEC);
    assert_true(hostfd_is(high));
    assert_false(hostfd_is(low) || hostfd_is(-1) || hostfd_is(0) || hostfd_is(high + 1) || hostfd_is(1 << 30));
    int other = os_hidden_dup(1);
    assert_true(is_open(1) && hostfd_is(other) && other != high);
    hostfd_close(high);
    assert_false(is_open(high) || hostfd_is(high));
    hostfd_close(other);
    errno = 0;
    assert_int_equal(os_hidden_dup(77), -1);
    assert_int_equal(errno, EBADF);
}

static int status_of(int (*act)(const struct rlimit *), const struct rlimit *limit)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(act(limit));
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Without privileges: the descriptor lies above the soft limit where the hard limit permits, else at the top, and the limits stay as they are. */
static int raise_limited(const struct rlimit *limit)
{
    struct rlimit now;
    if (setrlimit(RLIMIT_NOFILE, limit) < 0 || (getuid() == 0 && setresuid(65534, 65534, 65534) < 0))
        return 10;
    int fd = os_hidden_dup(0);
    if (fd < 0 || !is_open(fd) || getrlimit(RLIMIT_NOFILE, &now) < 0)
        return 11;
    if (now.rlim_cur != limit->rlim_cur || now.rlim_max != limit->rlim_max)
        return 12;
    if (limit->rlim_max >= limit->rlim_cur + 64 && limit->rlim_cur < 10000 && (u64)fd < limit->rlim_cur)
        return 13;
    return (u64)fd >= limit->rlim_cur / 2 || fd > 10000 ? 0 : 14;
}

static void test_limits(void **state)
{
    (void)state;
    static const struct rlimit limits[] = {{1024, 4096}, {1024, 1024}, {1024, 1000}, {256, 300}, {1024, 60000}, {20, 20}, {50000, 50000}, {1024, 1088}};
    struct rlimit mine;
    getrlimit(RLIMIT_NOFILE, &mine);
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        if (limits[i].rlim_cur <= limits[i].rlim_max && limits[i].rlim_max <= mine.rlim_max)
            assert_int_equal(status_of(raise_limited, &limits[i]), 0);
}

static int held;

static void test_vacate(void **state)
{
    (void)state;
    int p[2];
    char c = 0;
    assert_int_equal(pipe(p), 0);
    assert_true(hostfd_dup_held(p[1], &held) >= 0);
    int was = held, fixed = os_hidden_dup(0);
    assert_true(hostfd_vacate(was));
    assert_int_not_equal(held, was);
    assert_true(hostfd_is(held) && !hostfd_is(was) && !is_open(was));
    assert_int_equal(write(held, "x", 1), 1);
    assert_int_equal(read(p[0], &c, 1), 1);
    assert_int_equal(c, 'x');
    assert_false(hostfd_vacate(fixed));
    assert_true(is_open(fixed));
    assert_true(hostfd_vacate(5));
    hostfd_close(held);
    hostfd_close(fixed);
    close(p[0]);
    close(p[1]);
}

static void test_messages(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        int p[2];
        char line[64] = "";
        if (pipe(p) < 0 || dup2(p[1], 2) < 0)
            _exit(1);
        close(p[1]);
        hostfd_init(true);
        bool high = msg_fd > 2 && hostfd_is(msg_fd);
        close(2); /* the guest closes its stderr */
        msg("still %s", "there");
        if (read(p[0], line, sizeof line - 1) <= 0 || strcmp(line, "linchpin: still there\n") != 0)
            _exit(2);
        hostfd_init(true); /* started without a stderr */
        _exit(high && msg_fd == -1 ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Without a descriptor of our own: to stderr as long as it is the one we know, then to the same file by name, never to what the guest has put there. */
static int messages_without_descriptor(void)
{
    char name[] = "/tmp/linchpin-test-XXXXXX", text[256] = "";
    int file = mkstemp(name), other = memfd_create("other", 0);
    if (file < 0 || other < 0 || dup2(file, 2) < 0)
        return 1;
    hostfd_init(false);
    msg("one");
    close(2);
    msg("two");
    if (dup2(other, 2) < 0)
        return 2;
    msg("three");
    off_t stray = lseek(other, 0, SEEK_END);
    unlink(name);
    msg("lost");
    if (hostfd_any() || stray != 0 || pread(file, text, sizeof text - 1, 0) < 0)
        return 3;
    return strcmp(text, "linchpin: one\nlinchpin: two\nlinchpin: three\n") == 0 ? 0 : 4;
}

static void test_messages_without_descriptor(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(messages_without_descriptor());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A message to a closed pipe is no death of the program. */
static void test_message_to_closed_pipe(void **state)
{
    (void)state;
    int status, p[2];
    assert_int_equal(pipe(p), 0);
    close(p[0]);
    pid_t child = fork();
    if (child == 0) {
        msg_fd = p[1];
        msg("nobody reads this");
        _exit(7);
    }
    close(p[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 7 << 8);
}

/* In a child, with three host descriptors: which of its own survive which call. */
static int close_ranges(const struct rlimit *limit)
{
    (void)limit;
    int host[3] = {os_hidden_dup(0), os_hidden_dup(0), os_hidden_dup(0)};
    int below = fcntl(0, F_DUPFD, host[0] - 3), above = fcntl(0, F_DUPFD, host[2] + 1), low = fcntl(0, F_DUPFD, 50);
    if (host[2] < 0 || below < 0 || above < 0 || low < 0)
        return 1;
    if (hostfd_close_range(9, 3, 0) != -EINVAL || hostfd_close_range(3, ~0u, 64) != -EINVAL)
        return 2;
    if (hostfd_close_range((u32)below, ~0u, 4) != 0 || fcntl(below, F_GETFD) != FD_CLOEXEC || fcntl(above, F_GETFD) != FD_CLOEXEC)
        return 3;
    if (hostfd_close_range((u32)host[1], (u32)host[1], 0) != 0 || !is_open(host[1]))
        return 4;
    if (hostfd_close_range((u32)host[0], (u32)above, 2) != 0 || is_open(above) || !is_open(below))
        return 5;
    if (hostfd_close_range(3, ~0u, 0) != 0 || is_open(low) || is_open(below) || is_open(above))
        return 6;
    return is_open(0) && is_open(1) && is_open(host[0]) && is_open(host[1]) && is_open(host[2]) ? 0 : 7;
}

/* dup2 takes no number from the soft limit on. */
static int put_at(int file, int fd)
{
    struct rlimit now, wide;
    getrlimit(RLIMIT_NOFILE, &now);
    wide = (struct rlimit){now.rlim_max, now.rlim_max};
    setrlimit(RLIMIT_NOFILE, &wide);
    int r = dup2(file, fd);
    setrlimit(RLIMIT_NOFILE, &now);
    return r;
}

/* HF5: a process that is made while a thread is about to close a descriptor has it, and closes it. A file that somebody else has got the number for since is left. */
static s64 fork_meanwhile(const u64 *args)
{
    int fd = (int)args[0], status;
    pid_t child = fork();
    if (child == 0) {
        hostfd_after_fork(true);
        _exit(is_open(fd));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    child = fork();
    if (child == 0) {
        int other = open("/proc/self/stat", O_RDONLY);
        if (put_at(other, fd) != fd)
            _exit(2);
        hostfd_after_fork(true);
        _exit(!is_open(fd));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return arch_raw_syscall(SYS_close, args[0], 0, 0, 0, 0, 0);
}

static void test_closing(void **state)
{
    (void)state;
    int low = open("/dev/null", O_RDONLY), high = os_hidden_dup(low);
    close(low);
    u64 args[] = {(u64)high, 0, 0, 0, 0, 0};
    assert_int_equal(hostfd_closing(high, fork_meanwhile, args), 0);
    assert_false(is_open(high) || hostfd_is(high));
    int other = os_hidden_dup(1);
    hostfd_close(other);
    assert_int_equal(put_at(1, high), high); /* the guest's now */
    hostfd_close_all();
    assert_true(is_open(high));
    close(high);
}

static void test_close_range(void **state)
{
    (void)state;
    struct rlimit wide = {0, 0};
    getrlimit(RLIMIT_NOFILE, &wide);
    wide.rlim_cur = wide.rlim_max;
    struct rlimit was;
    getrlimit(RLIMIT_NOFILE, &was);
    setrlimit(RLIMIT_NOFILE, &wide); /* so that the guest may have some beside ours */
    assert_int_equal(status_of(close_ranges, NULL), 0);
    setrlimit(RLIMIT_NOFILE, &was);
}

/* All names in a directory, through a buffer that holds only a few. */
static char *names_of(const char *path, size_t room)
{
    static char all[200000];
    char buf[4096];
    int dir = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(dir >= 0);
    size_t at = 0;
    s64 n;
    while ((n = hostfd_getdents64(dir, buf, room)) > 0)
        for (s64 i = 0; i < n; i += ((struct dirent64 *)(buf + i))->d_reclen) {
            const char *name = ((struct dirent64 *)(buf + i))->d_name;
            at += (size_t)base_format(all + at, sizeof all - at, " %s ", name);
            assert_true(at < sizeof all - 300);
        }
    assert_int_equal(n, 0);
    close(dir);
    all[at] = '\0';
    return all;
}

static bool has(const char *names, u64 number)
{
    char word[32];
    base_format(word, sizeof word, " %lu ", number);
    return strstr(names, word) != NULL;
}

static void test_fd_directory(void **state)
{
    (void)state;
    int host[40];
    char own[64], thread[64];
    for (int i = 0; i < 40; i++)
        assert_true((host[i] = os_hidden_dup(0)) >= 0);
    base_format(own, sizeof own, "/proc/%d/fd", getpid());
    base_format(thread, sizeof thread, "/proc/self/task/%d/fd", gettid());
    const char *const dirs[] = {"/proc/self/fd", "/proc/thread-self/fd", "/proc/self/fdinfo", own, thread};
    for (size_t d = 0; d < ARRAY_LEN(dirs); d++)
        for (size_t room = 64; room <= 4096; room *= 8) {
            const char *names = names_of(dirs[d], room);
            assert_true(has(names, 0) && has(names, 1));
            for (int i = 0; i < 40; i++)
                assert_false(has(names, (u64)host[i]));
        }
    /* A file that has such a name elsewhere stays. */
    char dir[] = "/tmp/lp-unit-XXXXXX", file[64];
    assert_non_null(mkdtemp(dir));
    base_format(file, sizeof file, "%s/%d", dir, host[7]);
    close(open(file, O_CREAT | O_WRONLY, 0600));
    assert_true(has(names_of(dir, 4096), (u64)host[7]));
    unlink(file);
    rmdir(dir);
    for (int i = 0; i < 40; i++)
        hostfd_close(host[i]);
}

static int task_tid;
static pthread_barrier_t meet;

static void *engine_thread(void *arg)
{
    task_tid = gettid();
    hosttask_note(task_tid);
    pthread_barrier_wait(&meet);
    pthread_barrier_wait(&meet);
    hosttask_forget(task_tid);
    return arg;
}

static void test_task_directory(void **state)
{
    (void)state;
    pthread_t t;
    pthread_barrier_init(&meet, NULL, 2);
    pthread_create(&t, NULL, engine_thread, NULL);
    pthread_barrier_wait(&meet);
    assert_true(hosttask_is(task_tid) && !hosttask_is(getpid()) && hosttask_any());
    assert_true(hosttask_in_process((u64)task_tid) && hosttask_in_process((u64)getpid()) && !hosttask_in_process(1));
    const char *names = names_of("/proc/self/task", 4096);
    assert_true(has(names, (u64)getpid()));
    assert_false(has(names, (u64)task_tid));
    pthread_barrier_wait(&meet);
    pthread_join(t, NULL);
    assert_false(hosttask_is(task_tid));
}

static void test_map_files(void **state)
{
    (void)state;
    int fd = open("/proc/self/exe", O_RDONLY);
    u8 *p = mmap(NULL, 2 * PAGE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    char word[64];
    base_format(word, sizeof word, " %lx-%lx ", (u64)p, (u64)p + 2 * PAGE_BYTES);
    assert_non_null(strstr(names_of("/proc/self/map_files", 4096), word));
    hostmem_note((u64)p, (u64)p + 2 * PAGE_BYTES);
    assert_null(strstr(names_of("/proc/self/map_files", 4096), word));
    hostmem_unmap(p, 2 * PAGE_BYTES);
}

static void test_old_getdents(void **state)
{
    (void)state;
    int host = os_hidden_dup(0), dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
    char buf[4096];
    long n = syscall(SYS_getdents, dir, buf, sizeof buf);
    assert_true(n > 0);
    s64 left = hostfd_filter_dirents_old(dir, buf, n);
    assert_true(left > 0 && left < n);
    bool zero = false;
    for (s64 i = 0; i < left; i += *(u16 *)(buf + i + 16)) {
        assert_int_not_equal(atoi(buf + i + 18), host);
        zero |= strcmp(buf + i + 18, "0") == 0;
    }
    assert_true(zero);
    close(dir);
    hostfd_close(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dup),       cmocka_unit_test(test_limits),       cmocka_unit_test(test_vacate),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_messages_without_descriptor), cmocka_unit_test(test_message_to_closed_pipe),    cmocka_unit_test(test_closing), cmocka_unit_test(test_close_range),  cmocka_unit_test(test_fd_directory),
        cmocka_unit_test(test_task_directory), cmocka_unit_test(test_map_files), cmocka_unit_test(test_old_getdents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

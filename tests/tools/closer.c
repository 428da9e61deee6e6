/* SPDX-License-Identifier: Apache-2.0
 * Everything that a program can do to descriptors that it does not have, and what it sees of them. Run natively and under tools that have many files
 * open (opener.cpp, the bundled tools): the output must be the same, and what the tools write must be whole. Arguments: a file for its own data, and
 * `short` for less of it, or `again` for the least. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 20000

static const char *data;

static void say(const char *what, long n)
{
    char line[128];
    int bytes = snprintf(line, sizeof line, "%s %ld\n", what, n);
    if (write(1, line, (size_t)bytes) != bytes)
        _exit(9);
}

/* --- what it sees --------------------------------------------------------------------------------------------------- */

static void list(const char *path)
{
    long sum = 0, n = 0;
    DIR *d = opendir(path);
    if (!d)
        _exit(8);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
            n++, sum += atoi(e->d_name);
    closedir(d);
    say(path[1] == 'd' ? "/dev" : "/proc", n * 1000000 + sum);
}

static void lookups(void)
{
    char own[64], name[96];
    struct stat st;
    long found = 0;
    snprintf(own, sizeof own, "/proc/%d/fd", getpid());
    const char *const dirs[] = {"/proc/self/fd", "/proc/thread-self/fd", "/dev/fd", "/proc/self/fdinfo", own};
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        list(dirs[i]);
        int dir = open(dirs[i], O_RDONLY | O_DIRECTORY);
        for (int fd = 4; fd < MANY; fd++) { /* 3 is dir */
            snprintf(name, sizeof name, "%s/%d", dirs[i], fd);
            int opened = open(name, O_RDONLY | O_NONBLOCK);
            found += opened >= 0 && close(opened) == 0;
            found += fd % 16 == 0 && readlink(name, own + 32, 8) > 0;
            found += stat(name, &st) == 0;
            found += lstat(name, &st) == 0;
            snprintf(name, sizeof name, "%d", fd);
            found += fstatat(dir, name, &st, 0) == 0;
        }
        close(dir);
        say("lookups", found);
    }
}

/* --- calls on numbers that are not its own ------------------------------------------------------------------------------ */

static long poll_one(int fd)
{
    struct pollfd p = {fd, POLLIN | POLLOUT, 0};
    return poll(&p, 1, 0) != 1 || p.revents != POLLNVAL;
}

/* From 100 on nothing is the program's. */
static void calls(void)
{
    int epoll = epoll_create1(0), s[2], n, zero = open("/dev/zero", O_RDWR);
    struct epoll_event e = {.events = EPOLLIN};
    struct stat st;
    char byte = 'x';
    long wrong[16] = {0};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s) < 0)
        _exit(7);
    for (int fd = 100; fd < MANY; fd++) {
        wrong[0] += fcntl(fd, F_GETFD) != -1 || fcntl(fd, F_GETFL) != -1 || fcntl(fd, F_SETFD, FD_CLOEXEC) != -1 || fcntl(fd, F_DUPFD, 0) != -1;
        wrong[1] += dup(fd) != -1 || dup2(fd, 90) != -1 || dup3(fd, 90, 0) != -1;
        wrong[2] += fstat(fd, &st) != -1 || lseek(fd, 0, SEEK_CUR) != -1 || ftruncate(fd, 0) != -1 || ioctl(fd, FIONREAD, &n) != -1;
        wrong[3] += read(fd, &byte, 1) != -1 || write(fd, &byte, 1) != -1 || pread(fd, &byte, 1, 0) != -1 || pwrite(fd, &byte, 1, 0) != -1;
        wrong[4] += poll_one(fd);
        wrong[5] += epoll_wait(fd, &e, 1, 0) != -1 || errno != EBADF;
        wrong[6] += epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != -1 || errno != EBADF;
        wrong[7] += getsockname(fd, NULL, NULL) != -1 || errno != EBADF;
        wrong[8] += mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED;
        wrong[9] += sendfile(fd, zero, NULL, 1) != -1 || sendfile(zero, fd, NULL, 1) != -1 || syscall(SYS_copy_file_range, fd, NULL, zero, NULL, 1, 0) != -1;
        wrong[10] += openat(fd, "x", O_RDONLY) != -1 || errno != EBADF;
        wrong[11] += send(fd, &byte, 1, MSG_DONTWAIT) != -1 || recv(fd, &byte, 1, MSG_DONTWAIT) != -1;
        wrong[12] += inotify_add_watch(fd, "/", IN_ATTRIB) != -1 || errno != EBADF;
        wrong[13] += futimens(fd, NULL) != -1 || fchownat(fd, "", -1, -1, AT_EMPTY_PATH) != -1 || errno != EBADF;
        wrong[14] += mkdirat(fd, "x", 0) != -1 || unlinkat(fd, "x", 0) != -1 || faccessat(fd, "x", 0, 0) != -1 || errno != EBADF;
        wrong[15] += renameat(fd, "x", fd, "y") != -1 || linkat(fd, "x", fd, "y", 0) != -1 || symlinkat("x", fd, "y") != -1 || errno != EBADF;
    }
    for (int i = 0; i < 16; i++)
        say("calls", wrong[i]);
    close(epoll), close(s[0]), close(s[1]), close(zero);
}

/* --- its own files -------------------------------------------------------------------------------------------------------- */

static void own_file(const char *when)
{
    char text[64] = "";
    int fd = open(data, O_RDWR | O_CREAT | O_TRUNC, 0600);
    say(when, fd);
    if (write(fd, "mine\n", 5) != 5 || pread(fd, text, sizeof text, 0) != 5 || strcmp(text, "mine\n") || close(fd))
        _exit(6);
}

static void close_all(void)
{
    long closed = 0;
    for (int fd = 3; fd < MANY; fd++)
        closed += close(fd) == 0;
    say("closed", closed);
    own_file("after close");
    say("close_range", syscall(SYS_close_range, 3, ~0u, 0));
    own_file("after close_range");
}

static void put_everywhere(void)
{
    long wrong = 0;
    for (int fd = 3; fd < 1000; fd++)
        wrong += dup2(1, fd) != fd;
    for (int fd = 3; fd < 1000; fd++)
        wrong += close(fd) != 0;
    say("dup2", wrong);
    own_file("after dup2");
}

static void use_up(rlim_t limit)
{
    struct rlimit old, now;
    int fd, n = 0, highest = 0;
    getrlimit(RLIMIT_NOFILE, &old);
    say("limit before", (int)old.rlim_cur);
    now = (struct rlimit){limit, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
    while ((fd = open("/dev/null", O_RDONLY)) >= 0)
        n++, highest = fd;
    say("used up", errno == EMFILE ? n * 1000 + highest : -1);
    getrlimit(RLIMIT_NOFILE, &now);
    say("limit", now.rlim_cur == limit && now.rlim_max == old.rlim_max);
    for (fd = 3; fd <= highest; fd++)
        close(fd);
    setrlimit(RLIMIT_NOFILE, &old);
}

static void *thread(void *arg)
{
    for (int i = 0; i < 200; i++)
        for (int fd = 500; fd < 700; fd++)
            close(fd);
    return arg;
}

static void threads(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, thread, NULL))
            _exit(5);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    own_file("after threads");
}

static int ended(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child ? status : -1;
}

static void children(const char *self)
{
    pid_t child = fork();
    if (child == 0) {
        close_all();
        say("unshared", syscall(SYS_close_range, 3, ~0u, 2));
        own_file("in the child");
        _exit(0);
    }
    say("child", ended(child));
    child = fork();
    if (child == 0) {
        execl("/nowhere", "nowhere", NULL);
        execl(self, self, data, "again", NULL);
        _exit(1);
    }
    say("executed", ended(child));
    for (int i = 0; i < 40; i++) { /* a tool's thread may just open a file */
        child = vfork();
        if (child == 0) {
            execl(self, self, data, "again", NULL);
            _exit(1);
        }
        say("vfork", ended(child));
    }
}

int main(int argc, char **argv)
{
    data = argv[1];
    own_file("first");
    list("/proc/self/fd");
    if (argc > 2 && !strcmp(argv[2], "again"))
        return 0;
    if (argc > 2) {
        say("close_range", syscall(SYS_close_range, 3, ~0u, 0));
        use_up(16);
        own_file("short");
        return 0;
    }
    lookups();
    calls();
    close_all();
    put_everywhere();
    use_up(16);
    use_up(5);
    threads();
    children(argv[0]);
    own_file("last");
    return 0;
}

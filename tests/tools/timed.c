/* SPDX-License-Identifier: Apache-2.0
 * Calls with known numbers for iolatency, on the file that its first argument names: cases_probed.py has them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char data[1000];
static long got; /* what the calls have given, so that none is left out and all are right */

static void file(const char *path)
{
    struct iovec two[2] = {{data, 10}, {data + 20, 30}};
    int fd = creat(path, 0600);
    for (int i = 0; i < 50; i++)
        got += write(fd, data, 1000);
    got += fsync(fd) + fdatasync(fd);
    close(fd);
    fd = openat(AT_FDCWD, path, O_RDWR);
    for (int i = 0; i < 20; i++)
        got += pread(fd, data, 100, i * 10);
    got += pwrite(fd, data, 7, 3) + readv(fd, two, 2) + writev(fd, two, 2);
    close(fd);
    fd = open(path, O_RDONLY);
    for (ssize_t n = 1; n > 0; got += n)
        n = read(fd, data, 1000);
    close(fd);
}

static void stream(const char *path)
{
    FILE *f = fopen(path, "r");
    got += f && fgets(data, sizeof data, f);
    fclose(f);
}

/* By calls that the tool does not watch. */
static void until_it_sleeps(int pid)
{
    char name[64], stat[256] = "";
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    while (!strstr(stat, ") S ")) {
        long fd = syscall(SYS_open, name, O_RDONLY), n = syscall(SYS_read, fd, stat, sizeof stat - 1);
        stat[n > 0 ? n : 0] = 0;
        syscall(SYS_close, fd);
    }
}

/* 30 ms and more in one read. */
static void wait_for_child(void)
{
    int ends[2];
    if (pipe(ends))
        exit(1);
    if (!fork()) {
        until_it_sleeps(getppid());
        usleep(30000);
        _exit(write(ends[1], "hello", 5) != 5);
    }
    got += read(ends[0], data, 5);
    wait(NULL);
}

int main(int argc, char **argv)
{
    memset(data, 'x', sizeof data);
    file(argv[argc - 1]);
    stream(argv[argc - 1]);
    wait_for_child();
    int none = open("/nonexistent/file", O_RDONLY), why = errno;
    ssize_t bad = read(1000, data, 1);
    printf("%ld %d %s %ld %s\n", got, none, strerror(why), (long)bad, strerror(errno));
    return 0;
}

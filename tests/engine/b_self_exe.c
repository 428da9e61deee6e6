// SPDX-License-Identifier: Apache-2.0
// /proc/self/exe, comm, cmdline, environ and cwd are the program's own under every name of the process.
#include "b_check.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static void same_link(const char *path, const char *want)
{
    char got[4096] = { 0 };
    CHECK(readlink(path, got, sizeof got - 1) == (long)strlen(want) && !strcmp(got, want));
}

int main(int argc, char **argv)
{
    char want[4096], got[4096], name[64], *base = strrchr(argv[0], '/');
    struct stat a, b;
    CHECK(argc == 1 && realpath(argv[0], want) != 0);
    same_link("/proc/self/exe", want);
    same_link("/proc/thread-self/exe", want);
    snprintf(name, sizeof name, "/proc/%d/exe", getpid());
    same_link(name, want);
    snprintf(name, sizeof name, "/proc/self/task/%d/exe", getpid());
    same_link(name, want);
    CHECK(stat("/proc/self/exe", &a) == 0 && stat(argv[0], &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev);
    CHECK(lstat("/proc/self/exe", &a) == 0 && S_ISLNK(a.st_mode));
    CHECK(readlink("/proc/self/exe", got, 5) == 5 && !memcmp(got, want, 5));
    CHECK_ERR(open("/proc/self/exe", O_RDONLY | O_NOFOLLOW), ELOOP);
    CHECK_ERR(open("/proc/self/exe", O_RDONLY | O_CREAT | O_EXCL, 0600), EEXIST);
    CHECK_ERR(open("/proc/self/exe/", O_RDONLY), ENOTDIR);
    CHECK(fstat(open("/proc/self/exe", O_PATH | O_NOFOLLOW), &a) == 0 && S_ISLNK(a.st_mode));
    CHECK(fstat(open("/proc/self/exe", O_PATH), &a) == 0 && a.st_ino == b.st_ino);
    struct open_how how = {.flags = O_RDONLY, .resolve = RESOLVE_NO_MAGICLINKS};
    CHECK_ERR(syscall(SYS_openat2, AT_FDCWD, "/proc/self/exe", &how, sizeof how), ELOOP);
    how.resolve = 0;
    CHECK(fstat(syscall(SYS_openat2, AT_FDCWD, "/proc/self/exe", &how, sizeof how), &a) == 0 && a.st_ino == b.st_ino);
    int dir = open("/proc/self", O_PATH);
    memset(got, 0, sizeof got);
    CHECK(readlinkat(dir, "exe", got, sizeof got) > 0 && !strcmp(got, want));
    CHECK(realpath("/proc/self/exe", got) && !strcmp(got, want));
    int fd = open("/proc/self/cmdline", O_RDONLY);
    CHECK(read(fd, got, sizeof got) == (long)strlen(argv[0]) + 1 && !strcmp(got, argv[0]));
    fd = open("/proc/self/comm", O_RDONLY);
    int n = read(fd, got, sizeof got);
    CHECK(n > 1 && !strncmp(got, base ? base + 1 : argv[0], n - 1 < 15 ? n - 1 : 15));
    CHECK(chdir("/") == 0);
    same_link("/proc/self/cwd", "/");
    say("exe ok\n");
    return 0;
}

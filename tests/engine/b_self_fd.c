// test[none]: args=none
// test[held]: args=held
// test[held]: opts=-logfile /dev/null
// SPDX-License-Identifier: Apache-2.0
// /proc/self/fd lists the program's own descriptors only; readlink and stat of an engine's descriptor numbers fail as natively, whether it holds one or not.
#include "b_check.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void list(const char *path)
{
    int fds[256], n = 0;
    DIR *d = opendir(path);
    CHECK(d != 0);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
            fds[n++] = atoi(e->d_name);
    closedir(d);
    qsort(fds, n, sizeof *fds, by_number);
    for (int i = 0; i < n; i++)
        say("%d ", fds[i]);
    say("\n");
}

int main(void)
{
    char name[64];
    list("/proc/self/fd");
    CHECK(open("/dev/null", O_RDONLY) == 3 && dup2(3, 100) == 100 && dup(3) == 4);
    list("/proc/self/fd");
    snprintf(name, sizeof name, "/proc/%d/fd", getpid());
    list(name);
    list("/proc/thread-self/fdinfo");
    list("/dev/fd");
    int present = 0;
    struct stat st;
    for (int i = 0; i < 25000; i++)
        present += fstat(i, &st) == 0;
    say("fstat finds %d\n", present);
    present = 0;
    for (int i = 0; i < 25000; i++)
        present += fcntl(i, F_GETFD) >= 0;
    say("fcntl finds %d\n", present);
    present = 0;
    for (int i = 0; i < 25000; i++)
        present += fstatat(i, "", &st, AT_EMPTY_PATH) == 0 || lseek(i, 0, SEEK_CUR) >= 0 || errno != EBADF;
    say("fstatat and lseek find %d\n", present);
    return 0;
}

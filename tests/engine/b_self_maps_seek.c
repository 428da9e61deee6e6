// SPDX-License-Identifier: Apache-2.0
// A descriptor of /proc/self/maps can be seeked, pread, dup'ed and read by a child; a line read twice is the same line.
#include "b_check.h"
#include <fcntl.h>
#include <sys/wait.h>

int main(void)
{
    char a[65], b[65], c[65];
    int fd = open("/proc/self/maps", O_RDONLY), status;
    CHECK(fd == 3);
    CHECK(read(fd, a, 64) == 64);
    CHECK(lseek(fd, 0, SEEK_CUR) == 64 && lseek(fd, 0, SEEK_SET) == 0);
    CHECK(read(fd, b, 64) == 64 && !memcmp(a, b, 64));
    CHECK(pread(fd, c, 64, 0) == 64 && !memcmp(a, c, 64));
    CHECK(pread(fd, c, 20, 30) == 20 && !memcmp(a + 30, c, 20));
    int d = dup(fd);
    CHECK(d == 4 && lseek(d, 5, SEEK_SET) == 5 && read(fd, c, 10) == 10 && !memcmp(a + 5, c, 10));
    CHECK_ERR(write(fd, "x", 1), EBADF);
    CHECK((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY && fcntl(fd, F_GETFD) == 0);
    pid_t pid = fork();
    if (!pid) {
        CHECK(lseek(fd, 0, SEEK_SET) == 0 && read(fd, c, 16) == 16 && !memcmp(a, c, 16));
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK_ERR(open("/proc/self/maps_", O_RDONLY), ENOENT);
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f && fgetc(f) == a[0] && fclose(f) == 0);
    say("seek ok\n");
    return 0;
}

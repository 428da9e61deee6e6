// SPDX-License-Identifier: Apache-2.0
// dup2, dup3 and F_DUPFD onto high numbers: each number up to the limit is the program's to use, beyond it the errors are right.
#include "b_check.h"
#include <fcntl.h>
#include <sys/resource.h>

int main(void)
{
    struct rlimit rl;
    CHECK(getrlimit(RLIMIT_NOFILE, &rl) == 0);
    int max = rl.rlim_cur, p[2];
    char c;
    CHECK(pipe(p) == 0);
    for (int i = max - 200; i < max; i++) {
        CHECK_ERR(fcntl(i, F_GETFD), EBADF);
        CHECK(dup2(p[1], i) == i);
        CHECK(write(i, "x", 1) == 1 && read(p[0], &c, 1) == 1 && c == 'x');
    }
    CHECK_ERR(fcntl(0, F_DUPFD, max - 100), EMFILE);
    CHECK_ERR(dup2(p[1], max), EBADF);
    CHECK_ERR(dup3(p[1], p[1], 0), EINVAL);
    CHECK_ERR(fcntl(0, F_DUPFD, max), EINVAL);
    CHECK_ERR(dup2(-1, max - 1), EBADF);
    for (int i = max - 200; i < max; i++)
        CHECK(close(i) == 0);
    CHECK(fcntl(p[1], F_DUPFD, max - 1) == max - 1 && fcntl(p[1], F_DUPFD_CLOEXEC, max - 3) == max - 3);
    CHECK(fcntl(max - 3, F_GETFD) == FD_CLOEXEC && dup3(p[1], max - 2, O_CLOEXEC) == max - 2);
    CHECK(write(max - 1, "y", 1) == 1 && read(p[0], &c, 1) == 1 && c == 'y');
    say("high descriptors ok\n");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// close_range(3, ~0), CLOEXEC and UNSHARE forms, and closefrom: the program goes on afterwards, also with fork and exec.
#include "b_check.h"
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
    (void)argc;
    for (int i = 3; i < 20; i++)
        CHECK(open("/dev/null", O_RDONLY) == i);
    CHECK(syscall(SYS_close_range, 10, ~0u, 0) == 0);
    CHECK(fcntl(9, F_GETFD) == 0);
    CHECK_ERR(fcntl(10, F_GETFD), EBADF);
    CHECK(syscall(SYS_close_range, 5, 7, CLOSE_RANGE_CLOEXEC) == 0);
    CHECK(fcntl(5, F_GETFD) == FD_CLOEXEC && fcntl(4, F_GETFD) == 0 && fcntl(8, F_GETFD) == 0);
    CHECK_ERR(syscall(SYS_close_range, 7, 5, 0), EINVAL);
    CHECK_ERR(syscall(SYS_close_range, 3, 5, 64), EINVAL);
    CHECK(syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_UNSHARE) == 0);
    CHECK_ERR(fcntl(3, F_GETFD), EBADF);
    closefrom(3);
    CHECK(open(argv[0], O_RDONLY) == 3);
    pid_t pid = fork();
    if (!pid) {
        closefrom(3);
        execl("/bin/echo", "echo", "from the child", (char *)0);
        _exit(1);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    say("close_range ok\n");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// fork: memory is copied, pids and parents are right, file offsets are shared, a tree of 3 levels reports all its leaves.
#include "b_check.h"
#include <fcntl.h>
#include <sys/wait.h>

static int tree(int level, int fd)
{
    if (level == 3) {
        CHECK(write(fd, "leaf ", 5) == 5);
        return 1;
    }
    int leaves = 0;
    for (int i = 0; i < 3; i++) {
        int status, me = getpid();
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid) {
            CHECK(getppid() == me && getpid() != me);
            _exit(tree(level + 1, fd));
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
        leaves += WEXITSTATUS(status);
    }
    return leaves;
}

int main(void)
{
    static int data = 5;
    int on_stack = 6, status, *heap = malloc(4), fd = open("out", O_CREAT | O_RDWR | O_TRUNC, 0600);
    *heap = 7;
    pid_t pid = fork();
    if (!pid) {
        CHECK(data == 5 && on_stack == 6 && *heap == 7);
        data = on_stack = *heap = 0;
        CHECK(write(fd, "child ", 6) == 6);
        exit(21);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 21);
    CHECK(data == 5 && on_stack == 6 && *heap == 7 && lseek(fd, 0, SEEK_CUR) == 6);
    say("leaves %d\n", tree(0, fd));
    say("offset %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    unlink("out");
    return 0;
}

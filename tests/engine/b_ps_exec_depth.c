// test: opts=-follow_execv
// SPDX-License-Identifier: Apache-2.0
// A script whose interpreter is a script, and so on: as deep as the kernel goes, and one deeper.
#include "b_check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void make(const char *name, const char *interpreter)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    CHECK(fd >= 0 && dprintf(fd, "#!%s\n", interpreter) > 0 && close(fd) == 0);
}

int main(void)
{
    char name[16], last[16] = "/bin/echo";
    int status;
    for (int depth = 1; depth <= 7; depth++) {
        snprintf(name, sizeof name, "./s%d", depth);
        make(name, last);
        strcpy(last, name);
        pid_t pid = fork();
        if (!pid) {
            execl(name, name, "word", (char *)0);
            say("errno %d\n", errno);
            _exit(9);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        say("%d deep: status %x\n", depth, status);
    }
    return 0;
}

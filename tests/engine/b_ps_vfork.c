// SPDX-License-Identifier: Apache-2.0
// vfork: the parent waits, sees what the child wrote to memory, and gets failures of its exec; 50 times over.
#include "b_check.h"
#include <sys/wait.h>

int main(void)
{
    volatile int shared = 0, err = 0;
    int status;
    for (volatile int i = 0; i < 50; i++) {
        pid_t pid = vfork();
        if (!pid) {
            shared = i + 1;
            _exit(i);
        }
        CHECK(shared == i + 1);
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == i);
    }
    pid_t pid = vfork();
    if (!pid) {
        execl("/nonexistent/program", "x", (char *)0);
        err = errno;
        _exit(3);
    }
    CHECK(err == ENOENT && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
    for (volatile int i = 0; i < 5; i++) {
        pid = vfork();
        if (!pid) {
            shared = 99;
            execl("/bin/sh", "sh", "-c", "exit 12", (char *)0);
            _exit(1);
        }
        CHECK(shared == 99 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 12);
    }
    say("vfork ok\n");
    return 0;
}

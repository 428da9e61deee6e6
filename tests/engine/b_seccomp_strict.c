// test: hard
// SPDX-License-Identifier: Apache-2.0
// Strict seccomp in a child: read, write and exit go on, any other call is death by SIGKILL.
#include "b_check.h"
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

int main(void)
{
    int status;
    for (int kill_it = 0; kill_it < 2; kill_it++) {
        pid_t pid = fork();
        if (!pid) {
            CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
            CHECK(write(1, "strict\n", 7) == 7);
            if (kill_it)
                syscall(SYS_getppid);
            syscall(SYS_exit, 7);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        say("status %x\n", status);
    }
    return 0;
}

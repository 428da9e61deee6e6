// SPDX-License-Identifier: Apache-2.0
// PR_SET_PDEATHSIG: a grandchild gets its signal when the child that made it dies.
#include "b_check.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

int main(void)
{
    int ready[2], done[2], status;
    char c = 0;
    sigset_t set;
    CHECK(pipe(ready) == 0 && pipe(done) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    pid_t pid = fork();
    if (!pid) {
        if (fork() == 0) {
            siginfo_t si;
            CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0 && write(ready[1], "r", 1) == 1);
            CHECK(sigwaitinfo(&set, &si) == SIGUSR1);
            CHECK(write(done[1], "d", 1) == 1);
            _exit(0);
        }
        CHECK(read(ready[0], &c, 1) == 1);
        _exit(4);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
    CHECK(read(done[0], &c, 1) == 1 && c == 'd');
    say("parent death signal came\n");
    return 0;
}

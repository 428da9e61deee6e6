// SPDX-License-Identifier: Apache-2.0
// Every signal whose default is death kills a child with that signal in its status; those ignored by default do not.
#include "b_check.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

int main(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    for (int sig = 1; sig <= 64; sig++) {
        int status;
        if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)
            continue;
        pid_t pid = fork();
        if (!pid) {
            if (sig % 2)
                kill(getpid(), sig);
            else
                raise(sig);
            _exit(5);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        say("%d: %x\n", sig, status);
    }
    return 0;
}

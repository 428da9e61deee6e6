// SPDX-License-Identifier: Apache-2.0
// SIGSTOP, SIGTSTP and SIGCONT: a busy child stops and goes on, waitpid tells, its handler for SIGCONT runs.
#include "b_check.h"
#include <signal.h>
#include <sys/wait.h>

static int p[2];

static void on_cont(int sig)
{
    (void)sig;
    CHECK(write(p[1], "c", 1) == 1);
}

int main(void)
{
    int status;
    char c;
    CHECK(pipe(p) == 0);
    pid_t pid = fork();
    if (!pid) {
        signal(SIGCONT, on_cont);
        CHECK(write(p[1], "r", 1) == 1);
        for (volatile unsigned i = 0;; i++)
            ;
    }
    CHECK(read(p[0], &c, 1) == 1 && c == 'r');
    for (int i = 0; i < 50; i++) {
        kill(pid, SIGSTOP);
        CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
        CHECK(waitpid(pid, &status, WNOHANG | WUNTRACED) == 0);
        kill(pid, SIGCONT);
        CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
        CHECK(read(p[0], &c, 1) == 1 && c == 'c');
    }
    kill(pid, SIGSTOP);
    kill(pid, SIGKILL);
    do
        CHECK(waitpid(pid, &status, WUNTRACED) == pid);
    while (WIFSTOPPED(status));
    say("killed %d by %d\n", WIFSIGNALED(status), WTERMSIG(status));
    return 0;
}

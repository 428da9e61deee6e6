// SPDX-License-Identifier: Apache-2.0
// sigpending while signals come that are not blocked: it shows those that are, and no other.
#include "b_check.h"
#include <signal.h>
#include <sys/wait.h>

#define LOOKS 60000

static void on_signal(int sig)
{
    (void)sig;
}

static pid_t sender(const int *sigs, int n)
{
    pid_t to = getpid(), pid = fork();
    for (int i = 0; !pid; i = (i + 1) % n)
        kill(to, sigs[i]);
    return pid;
}

int main(void)
{
    sigset_t block, pending;
    int sigs[] = { SIGUSR1, SIGUSR2, SIGALRM }, wrong = 0, missing = 0;
    for (int i = 0; i < 3; i++)
        sigaction(sigs[i], &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, 0);
    sigemptyset(&block);
    sigaddset(&block, SIGTERM);
    CHECK(sigprocmask(SIG_BLOCK, &block, 0) == 0 && raise(SIGTERM) == 0);
    pid_t pid[] = { sender(sigs, 3), sender(sigs + 1, 2) };
    for (int i = 0; i < LOOKS; i++) {
        CHECK(sigpending(&pending) == 0);
        for (int k = 0; k < 3; k++)
            wrong += sigismember(&pending, sigs[k]);
        missing += !sigismember(&pending, SIGTERM);
    }
    for (int i = 0; i < 2; i++)
        CHECK(kill(pid[i], SIGKILL) == 0 && waitpid(pid[i], 0, 0) == pid[i]);
    say("shown though not blocked: %d, blocked and not shown: %d\n", wrong, missing);
    return 0;
}

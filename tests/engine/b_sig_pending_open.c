// SPDX-License-Identifier: Apache-2.0
// sigpending while signals come that are not blocked: it shows those that are, and no other.
#include "b_check.h"
#include <signal.h>
#include <sys/wait.h>

#define LOOKS 20000

static void on_signal(int sig)
{
    (void)sig;
}

static void send_until_killed(pid_t to)
{
    for (;;) {
        kill(to, SIGUSR1);
        kill(to, SIGUSR2);
        kill(to, SIGALRM);
    }
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
    pid_t self = getpid(), pid = fork();
    if (!pid)
        send_until_killed(self);
    for (int i = 0; i < LOOKS; i++) {
        CHECK(sigpending(&pending) == 0);
        for (int k = 0; k < 3; k++)
            wrong += sigismember(&pending, sigs[k]);
        missing += !sigismember(&pending, SIGTERM);
    }
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, 0, 0) == pid);
    say("shown though not blocked: %d, blocked and not shown: %d\n", wrong, missing);
    return 0;
}

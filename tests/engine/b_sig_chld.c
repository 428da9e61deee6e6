// SPDX-License-Identifier: Apache-2.0
// SIGCHLD: siginfo of exit, kill, stop and continue; SA_NOCLDSTOP; SIG_IGN and SA_NOCLDWAIT leave nothing to wait for.
#include "b_check.h"
#include <signal.h>
#include <sys/wait.h>

static volatile int hits;

static void on_chld(int sig, siginfo_t *si, void *uc)
{
    (void)sig, (void)uc;
    say("SIGCHLD code %d status %d\n", si->si_code, si->si_status);
    hits++;
}

static void act(int flags, void (*fn)(int, siginfo_t *, void *))
{
    struct sigaction sa = { .sa_sigaction = fn, .sa_flags = flags };
    CHECK(sigaction(SIGCHLD, &sa, 0) == 0);
}

static void wait_hits(int n, const sigset_t *none)
{
    while (hits < n)
        sigsuspend(none);
}

int main(void)
{
    sigset_t block, none;
    int status;
    sigemptyset(&none);
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    sigprocmask(SIG_BLOCK, &block, 0);
    act(SA_SIGINFO, on_chld);
    pid_t pid = fork();
    if (!pid)
        for (;;)
            pause();
    kill(pid, SIGSTOP);
    wait_hits(1, &none);
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
    kill(pid, SIGCONT);
    wait_hits(2, &none);
    CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
    act(SA_SIGINFO | SA_NOCLDSTOP, on_chld);
    kill(pid, SIGSTOP);
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    kill(pid, SIGCONT);
    CHECK(waitpid(pid, &status, WCONTINUED) == pid);
    kill(pid, SIGTERM);
    wait_hits(3, &none);
    CHECK(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGTERM);
    if (!(pid = fork()))
        _exit(33);
    wait_hits(4, &none);
    CHECK(waitpid(pid, &status, 0) == pid);
    for (int i = 0; i < 2; i++) {
        if (i)
            act(SA_SIGINFO | SA_NOCLDWAIT, on_chld);
        else
            signal(SIGCHLD, SIG_IGN);
        if (!(pid = fork()))
            _exit(0);
        CHECK_ERR(waitpid(pid, &status, 0), ECHILD);
    }
    wait_hits(5, &none);
    say("hits %d\n", hits);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// fork does not hand on pending signals, timers or alarms; handlers and alternate stacks it does.
#include "b_check.h"
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile int hits;

static void on_usr1(int sig)
{
    (void)sig;
    hits++;
}

int main(void)
{
    static char alt[65536];
    sigset_t set, pend;
    struct itimerval tv;
    int status;
    signal(SIGUSR1, on_usr1);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    alarm(1000);
    CHECK(sigaltstack(&(stack_t){ alt, 0, sizeof alt }, 0) == 0);
    pid_t pid = fork();
    if (!pid) {
        stack_t ss;
        CHECK(sigpending(&pend) == 0 && sigisemptyset(&pend));
        CHECK(getitimer(ITIMER_REAL, &tv) == 0 && tv.it_value.tv_sec == 0);
        CHECK(sigaltstack(0, &ss) == 0 && ss.ss_sp == alt);
        sigprocmask(SIG_UNBLOCK, &set, 0);
        CHECK(hits == 0);
        raise(SIGUSR1);
        _exit(hits);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 1 && hits == 0);
    sigprocmask(SIG_UNBLOCK, &set, 0);
    CHECK(hits >= 1 && alarm(0) > 900);
    say("hits %d\n", hits);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// sigwait, sigwaitinfo, sigtimedwait, signalfd and sigsuspend consume signals, also the synchronous ones when sent.
#include "b_check.h"
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

static volatile int handled;

static void on_signal(int sig)
{
    handled = sig;
}

int main(void)
{
    sigset_t set, rest;
    siginfo_t si;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &set, 0) == 0);
    raise(SIGUSR1);
    CHECK(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
    sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 8 });
    CHECK(sigwaitinfo(&set, &si) == SIGRTMIN && si.si_value.sival_int == 8 && si.si_code == SI_QUEUE);
    CHECK_ERR(sigtimedwait(&set, &si, &(struct timespec){ 0, 1000000 }), EAGAIN);
    kill(getpid(), SIGSEGV);
    CHECK(sigtimedwait(&set, &si, &(struct timespec){ 10, 0 }) == SIGSEGV && si.si_code == SI_USER);
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    struct signalfd_siginfo info[4];
    CHECK_ERR(read(fd, info, sizeof info), EAGAIN);
    raise(SIGUSR1);
    sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 1 });
    sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 2 });
    raise(SIGSEGV);
    CHECK(read(fd, info, sizeof info) == sizeof info);
    for (int i = 0; i < 4; i++)
        say("signalfd %d value %d\n", info[i].ssi_signo, info[i].ssi_int);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    CHECK(handled == 0);
    sigfillset(&rest);
    sigdelset(&rest, SIGUSR1);
    CHECK_ERR(sigsuspend(&rest), EINTR);
    CHECK(handled == SIGUSR1);
    sigprocmask(SIG_BLOCK, 0, &rest);
    CHECK(!memcmp(&rest, &set, 8));
    say("waited\n");
    return 0;
}

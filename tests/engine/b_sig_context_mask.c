// SPDX-License-Identifier: Apache-2.0
// The mask in the frame is the interrupted one, and a handler that changes it there changes the program's mask.
#include "b_check.h"
#include <signal.h>
#include <ucontext.h>

static volatile int step;

static void on_usr1(int sig, siginfo_t *si, void *ctx)
{
    ucontext_t *uc = ctx;
    sigset_t now;
    (void)si;
    sigprocmask(SIG_BLOCK, 0, &now);
    CHECK(sigismember(&now, sig) == 1 && sigismember(&uc->uc_sigmask, sig) == 0);
    CHECK(sigismember(&uc->uc_sigmask, SIGHUP) == 1 && sigismember(&uc->uc_sigmask, SIGUSR2) == 0);
    sigprocmask(SIG_BLOCK, &(sigset_t){ { ~0ul } }, 0); /* is undone at the return */
    if (step)
        sigaddset(&uc->uc_sigmask, SIGUSR2);
    step++;
}

static void on_usr2(int sig)
{
    (void)sig;
    say("usr2 came at step %d\n", step);
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO };
    sigset_t set;
    sigaction(SIGUSR1, &sa, 0);
    signal(SIGUSR2, on_usr2);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, 0);
    raise(SIGUSR1);
    raise(SIGUSR2);
    raise(SIGUSR1);
    raise(SIGUSR2);
    sigprocmask(SIG_BLOCK, 0, &set);
    CHECK(sigismember(&set, SIGUSR2) == 1 && sigismember(&set, SIGUSR1) == 0 && sigismember(&set, SIGHUP) == 1 && sigismember(&set, SIGTERM) == 0);
    say("now unblocking\n");
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, &set, 0);
    return 0;
}

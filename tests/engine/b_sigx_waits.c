// SPDX-License-Identifier: Apache-2.0
// Waits with a temporary mask: which mask the handler runs with, which one its frame holds and which one is left afterwards.
#include "b_check.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

static unsigned long mask_now(void)
{
    unsigned long m = 0;
    syscall(SYS_rt_sigprocmask, 0, 0, &m, 8);
    return m;
}

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
    ucontext_t *uc = ctx;
    unsigned long frame;
    memcpy(&frame, &uc->uc_sigmask, 8);
    say("  handler %d code %d, frame %lx, now %lx, result %lld\n", sig, si->si_code, frame, mask_now(), uc->uc_mcontext.gregs[REG_RAX]);
}

static void kill_later(int sig)
{
    pid_t parent = getpid();
    if (fork() == 0) {
        usleep(20000);
        kill(parent, sig);
        _exit(0);
    }
}

static void report(const char *what, int r)
{
    say("%s %d errno %d, mask %lx\n", what, r, r < 0 ? errno : 0, mask_now());
    while (wait(0) > 0)
        ;
}

static void try_waits(int sig)
{
    sigset_t inner;
    struct timespec limit = { 1000, 0 }, shortly = { 0, 1000 };
    struct epoll_event ev;
    int e = epoll_create1(0), fds[2];
    sigfillset(&inner);
    sigdelset(&inner, sig);
    kill_later(sig);
    report("sigsuspend", sigsuspend(&inner));
    kill_later(sig);
    report("ppoll", ppoll(0, 0, &limit, &inner));
    kill_later(sig);
    report("pselect", pselect(0, 0, 0, 0, &limit, &inner));
    kill_later(sig);
    report("epoll_pwait", epoll_pwait(e, &ev, 1, 1000000, &inner));
    report("time over", pselect(0, 0, 0, 0, &shortly, &inner));
    raise(sig); /* pending before the wait */
    report("ppoll pending", ppoll(0, 0, &limit, &inner));
    CHECK(pipe(fds) == 0 && write(fds[1], "x", 1) == 1);
    raise(sig);
    report("ppoll ready", ppoll(&(struct pollfd){ fds[0], POLLIN, 0 }, 1, &limit, &inner));
    report("sigsuspend", sigsuspend(&inner));
    report("bad size", (int)syscall(SYS_epoll_pwait, e, &ev, 1, 0, &inner, 7));
    report("bad pointer", (int)syscall(SYS_ppoll, 0, 0, 0, 8, 8));
}

int main(void)
{
    const int sigs[] = { SIGUSR1, SIGSEGV, SIGRTMIN + 3 };
    sigset_t outer;
    sigemptyset(&outer);
    for (int i = 0; i < 3; i++) {
        struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
        sigaddset(&sa.sa_mask, SIGWINCH);
        sigaction(sigs[i], &sa, 0);
        sigaddset(&outer, sigs[i]);
    }
    sigprocmask(SIG_SETMASK, &outer, 0);
    for (int i = 0; i < 3; i++)
        try_waits(sigs[i]);
    return 0;
}

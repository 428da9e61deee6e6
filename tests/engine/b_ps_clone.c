// SPDX-License-Identifier: Apache-2.0
// clone as fork by raw system call: PARENT_SETTID, CHILD_SETTID, another exit signal, none at all; clone3 with a pidfd.
#include "b_check.h"
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile int got_usr1, got_chld;

static void on_usr1(int sig, siginfo_t *si, void *uc)
{
    (void)uc;
    if (sig == SIGUSR1)
        got_usr1 = si->si_code == CLD_EXITED ? si->si_status : -1;
    else
        got_chld++;
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO };
    int ptid = 0, ctid = 0, status;
    sigaction(SIGUSR1, &sa, 0);
    sigaction(SIGCHLD, &sa, 0);
    long pid = syscall(SYS_clone, CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | SIGUSR1, 0, &ptid, &ctid, 0);
    if (!pid)
        _exit(ctid == getpid() && ptid == 0 ? 41 : 42);
    CHECK(pid > 0 && ptid == pid && ctid == 0);
    CHECK_ERR(waitpid(pid, &status, 0), ECHILD);
    while (waitpid(pid, &status, __WCLONE) == -1)
        CHECK(errno == EINTR);
    CHECK(WEXITSTATUS(status) == 41 && got_usr1 == 41 && got_chld == 0);
    pid = syscall(SYS_clone, 0, 0, 0, 0, 0);
    if (!pid)
        _exit(43);
    CHECK(waitpid(pid, &status, __WALL) == pid && WEXITSTATUS(status) == 43 && got_chld == 0);
    int pidfd = -1;
    struct clone_args args = { .flags = CLONE_PIDFD | CLONE_PARENT_SETTID | CLONE_CLEAR_SIGHAND, .pidfd = (uintptr_t)&pidfd, .parent_tid = (uintptr_t)&ptid, .exit_signal = SIGCHLD };
    pid = syscall(SYS_clone3, &args, sizeof args);
    if (!pid) {
        sigaction(SIGUSR1, 0, &sa);
        _exit(sa.sa_handler == SIG_DFL ? 44 : 45);
    }
    CHECK(pid > 0 && ptid == pid && pidfd >= 0);
    while (poll(&(struct pollfd){ pidfd, POLLIN, 0 }, 1, -1) != 1)
        CHECK(errno == EINTR);
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 44 && got_chld == 1);
    args = (struct clone_args){ .flags = CLONE_THREAD, .exit_signal = SIGCHLD };
    CHECK_ERR(syscall(SYS_clone3, &args, sizeof args), EINVAL);
    say("clone ok\n");
    return 0;
}

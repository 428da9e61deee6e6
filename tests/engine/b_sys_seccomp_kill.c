// SPDX-License-Identifier: Apache-2.0
// A filter that kills on one call: the child dies of SIGSYS at that call; RET_TRAP gives a SIGSYS with call, address and errno.
#include "b_filter.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

static void on_sys(int sig, siginfo_t *si, void *ctx)
{
    ucontext_t *uc = ctx;
    say("signal %d code %d call %d errno %d arch %x here %d\n", sig, si->si_code, si->si_syscall, si->si_errno, si->si_arch, si->si_call_addr == (void *)uc->uc_mcontext.gregs[REG_RIP]);
    CHECK(uc->uc_mcontext.gregs[REG_RAX] == si->si_syscall);
    uc->uc_mcontext.gregs[REG_RAX] = 4321;
}

int main(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        filter(SYS_getppid, SECCOMP_RET_KILL_PROCESS);
        say("before\n");
        syscall(SYS_getppid);
        say("FAIL lived on\n");
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    say("killed %d by %d\n", WIFSIGNALED(status), WTERMSIG(status));
    struct sigaction sa = { .sa_sigaction = on_sys, .sa_flags = SA_SIGINFO };
    sigaction(SIGSYS, &sa, 0);
    filter(SYS_sched_yield, SECCOMP_RET_TRAP | 55);
    say("trapped call returned %ld\n", syscall(SYS_sched_yield));
    return 0;
}

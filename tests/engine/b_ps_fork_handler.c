// SPDX-License-Identifier: Apache-2.0
// fork inside a signal handler: parent and child both return from it, on the alternate stack too, and go on.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

static volatile pid_t pid;
static sigjmp_buf out;

static void on_usr1(int sig)
{
    (void)sig;
    pid = fork();
}

static void on_segv(int sig)
{
    (void)sig;
    pid = fork();
    siglongjmp(out, 1);
}

static void reap(int want)
{
    int status;
    if (!pid)
        _exit(want);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == want);
}

int main(void)
{
    static char alt[65536];
    struct sigaction sa = { .sa_handler = on_usr1 };
    sigaction(SIGUSR1, &sa, 0);
    raise(SIGUSR1);
    reap(31);
    CHECK(sigaltstack(&(stack_t){ alt, 0, sizeof alt }, 0) == 0);
    sa.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &sa, 0);
    for (int i = 0; i < 10; i++) {
        raise(SIGUSR1);
        reap(32);
    }
    signal(SIGSEGV, on_segv);
    if (!sigsetjmp(out, 1))
        *(volatile int *)4 = 1;
    reap(33);
    say("forked in handlers\n");
    return 0;
}

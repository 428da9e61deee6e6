// SPDX-License-Identifier: Apache-2.0
// rt_sigreturn with a frame that cannot be read: the handler of the SIGSEGV makes no system call, and signals that another process sends come all the same.
#include "b_check.h"
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

static volatile int came;

static void on_usr2(int sig)
{
    (void)sig;
    came++;
}

static void on_segv(int sig)
{
    int before = came;
    (void)sig;
    while (came == before)
        ;
    signal(SIGUSR2, SIG_IGN);
    say("after a bad return: signals come\n");
    _exit(0);
}

static void on_usr1(int sig, siginfo_t *si, void *context)
{
    (void)sig, (void)si;
    ((ucontext_t *)context)->uc_mcontext.fpregs = (void *)0x200000000000;
}

int main(void)
{
    int parent = getpid();
    struct sigaction usr1 = {.sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &usr1, NULL);
    signal(SIGSEGV, on_segv);
    signal(SIGUSR2, on_usr2);
    if (!fork()) {
        while (getppid() == parent) {
            kill(parent, SIGUSR2);
            usleep(1000);
        }
        _exit(0);
    }
    raise(SIGUSR1);
    return 1;
}

// SPDX-License-Identifier: Apache-2.0
// A thread whose system calls from outside a range come as SIGSYS (PR_SET_SYSCALL_USER_DISPATCH), before an attach, during it and after the detach: every call is caught, and none that is allowed.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define ANSWER 4711

__asm__(".text\n"
        "allowed_begin:\n"
        "allowed_call: mov %rdi, %rax; syscall; ret\n"
        "allowed_end:\n"
        "other_call: mov %rdi, %rax; syscall; ret\n");
long allowed_call(long nr), other_call(long nr);
extern char allowed_begin[], allowed_end[];

static volatile char selector;
static volatile sig_atomic_t stop;
static volatile unsigned long caught;

static void on_sys(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    selector = 0;
    caught += info->si_code == 2 && info->si_syscall == SYS_getuid;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = ANSWER;
}

static void *run(void *arg)
{
    long pid = getpid();
    (void)arg;
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, allowed_begin, allowed_end - allowed_begin, &selector)) {
        perror("prctl");
        exit(77);
    }
    printf("ready\n");
    fflush(stdout);
    for (unsigned long i = 0; !stop; i++) {
        selector = 1;
        long own = allowed_call(SYS_getpid), other = other_call(SYS_getuid);
        if (own != pid || other != ANSWER || caught != i + 1) {
            printf("turn %lu: %ld %ld, caught %lu\n", i, own, other, caught);
            exit(1);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    int sig;
    struct sigaction act = {.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &act, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, run, NULL);
    sigwait(&set, &sig);
    stop = 1;
    pthread_join(t, NULL);
    return caught == 0;
}

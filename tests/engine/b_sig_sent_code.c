// SPDX-License-Identifier: Apache-2.0
// Signals of faults that a thread sends itself with the code of a fault: they come like any other that is sent, blocked or not, with that code.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const int sigs[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
static volatile sig_atomic_t came, code;
static void *volatile value;

static void handler(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    came++;
    code = info->si_code;
    value = info->si_value.sival_ptr;
}

static siginfo_t with(int sig, int si_code)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = sig;
    info.si_code = si_code;
    info.si_pid = getpid();
    info.si_value.sival_ptr = (void *)&came;
    return info;
}

static long to_thread(int sig, int si_code)
{
    siginfo_t info = with(sig, si_code);
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), sig, &info);
}

static long to_process(int sig, int si_code)
{
    siginfo_t info = with(sig, si_code);
    return syscall(SYS_rt_sigqueueinfo, getpid(), sig, &info);
}

static bool pends(int sig)
{
    sigset_t set;
    return sigpending(&set) == 0 && sigismember(&set, sig);
}

static void one(int sig, long send(int, int), int si_code)
{
    sigset_t set;
    siginfo_t got;
    sigemptyset(&set);
    sigaddset(&set, sig);
    came = 0;
    CHECK(send(sig, si_code) == 0 && came == 1 && code == si_code && value == &came);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(send(sig, si_code) == 0 && came == 1 && pends(sig));
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 && came == 2 && code == si_code && value == &came);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && send(sig, si_code) == 0 && pends(sig));
    CHECK(sigtimedwait(&set, &got, &(struct timespec){0}) == sig && got.si_code == si_code && got.si_value.sival_ptr == &came);
    CHECK(came == 2 && !pends(sig) && pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 && came == 2);
}

static void *other(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < sizeof sigs / sizeof *sigs; i++) {
        one(sigs[i], to_thread, 1);
        CHECK_ERR(to_process(sigs[i], 1), EPERM); /* only the first thread is the process */
        siginfo_t info = with(sigs[i], 1);
        CHECK_ERR(syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), sigs[i], &info), EPERM);
    }
    return NULL;
}

int main(void)
{
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    for (unsigned i = 0; i < sizeof sigs / sizeof *sigs; i++) {
        CHECK(sigaction(sigs[i], &act, NULL) == 0);
        for (int c = -1; c < 4; c++) {
            one(sigs[i], to_thread, c);
            one(sigs[i], to_process, c);
        }
        one(sigs[i], to_process, 0x80); /* SI_KERNEL */
    }
    CHECK_ERR(syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGTRAP, 8), EFAULT);
    pid_t child = fork();
    if (!child)
        for (;;)
            pause();
    int own = (int)syscall(SYS_pidfd_open, getpid(), 0), its = (int)syscall(SYS_pidfd_open, child, 0);
    siginfo_t info = with(SIGTRAP, 1);
    came = 0;
    CHECK(syscall(SYS_pidfd_send_signal, own, SIGTRAP, &info, 0) == 0 && came == 1 && code == 1);
    CHECK_ERR(syscall(SYS_pidfd_send_signal, its, SIGTRAP, &info, 0), EPERM); /* only to itself */
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    pthread_t t;
    CHECK(pthread_create(&t, NULL, other, NULL) == 0 && pthread_join(t, NULL) == 0);
    say("alive\n");
    return 0;
}

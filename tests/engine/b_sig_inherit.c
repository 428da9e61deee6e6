// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Ignored signals and the mask go through exec; handlers become default; fork and thread creation hand on the mask, not what is pending.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static void nothing(int sig)
{
    (void)sig;
}

static void show(const char *who)
{
    sigset_t now, pend;
    struct sigaction sa;
    sigprocmask(SIG_BLOCK, 0, &now);
    sigpending(&pend);
    say("%s:", who);
    for (int sig = 1; sig < 65; sig++) {
        if (sigismember(&now, sig) == 1)
            say(" blocked %d", sig);
        if (sigismember(&pend, sig) == 1)
            say(" pending %d", sig);
        if (sigaction(sig, 0, &sa) == 0 && sa.sa_handler != SIG_DFL)
            say(" %s %d", sa.sa_handler == SIG_IGN ? "ignored" : "handled", sig);
    }
    say("\n");
}

static void *thread(void *arg)
{
    show("thread");
    return arg;
}

int main(int argc, char **argv)
{
    sigset_t set;
    pthread_t t;
    if (argc > 1) {
        show("after exec");
        return 0;
    }
    signal(SIGHUP, SIG_IGN);
    signal(SIGFPE, SIG_IGN);
    signal(SIGUSR1, nothing);
    signal(SIGSEGV, nothing);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGRTMIN + 2);
    sigprocmask(SIG_SETMASK, &set, 0);
    pthread_kill(pthread_self(), SIGUSR2);
    show("main");
    CHECK(pthread_create(&t, 0, thread, 0) == 0 && pthread_join(t, 0) == 0);
    pid_t pid = fork();
    if (!pid) {
        show("child");
        raise(SIGUSR2); /* pending signals of the process go through exec */
        execl(argv[0], argv[0], "again", (char *)0);
        _exit(1);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

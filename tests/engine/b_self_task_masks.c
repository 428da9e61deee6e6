// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// The signal masks of each thread in /proc/self/task/TID/status and stat, and what is pending, are the program's.
#include "b_check.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

static char text[8192];

static void load(pid_t tid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, name);
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0);
    ssize_t n = read(fd, text, sizeof text - 1);
    CHECK(n > 0 && close(fd) == 0);
    text[n] = 0;
}

static void show(const char *who, pid_t tid)
{
    load(tid, "status");
    say("%s:", who);
    for (char *line = strtok(text, "\n"); line; line = strtok(0, "\n"))
        if (!strncmp(line, "Sig", 3) || !strncmp(line, "ShdPnd", 6) || !strncmp(line, "Threads", 7))
            if (strncmp(line, "SigQ", 4))
                say(" %s", line);
    load(tid, "stat");
    char *p = strrchr(text, ')');
    for (int i = 2; i < 31; i++)
        p = strchr(p + 1, ' ');
    for (int i = 0; i < 4; i++)
        say(" %lu", strtoul(p, &p, 10));
    say("\n");
}

static pthread_barrier_t ready, done;
static pid_t other;

static void handler(int sig)
{
    (void)sig;
}

static void *thread(void *arg)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGRTMIN + 3);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
    other = syscall(SYS_gettid);
    CHECK(syscall(SYS_tgkill, getpid(), other, SIGBUS) == 0 && syscall(SYS_tgkill, getpid(), other, SIGUSR2) == 0);
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&done);
    return arg;
}

int main(void)
{
    pthread_t t;
    show("first", getpid());
    pthread_barrier_init(&ready, 0, 2);
    pthread_barrier_init(&done, 0, 2);
    signal(SIGSEGV, handler);
    signal(SIGHUP, SIG_IGN);
    signal(SIGFPE, SIG_IGN);
    signal(SIGBUS, handler);
    CHECK(pthread_create(&t, 0, thread, 0) == 0);
    pthread_barrier_wait(&ready);
    sigset_t set;
    sigfillset(&set);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
    CHECK(kill(getpid(), SIGTERM) == 0);
    show("leader", getpid());
    show("thread", other);
    pthread_barrier_wait(&done);
    CHECK(pthread_join(t, 0) == 0);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A program that looks for threads that are not its own: in /proc, by signals that go astray, in a forked child, and at its end, which comes when its last thread ends.
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int handled;
static void handler(int sig) { handled += sig == SIGUSR1; }

void at_spawn(void);
void at_spawn(void) { __asm__ volatile(""); }

static int tasks(void)
{
    DIR *d = opendir("/proc/self/task");
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int status_threads(void)
{
    char line[256];
    int n = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "Threads: %d", &n);
    fclose(f);
    return n;
}

/* Signals of faults are open in threads of the tool: one that somebody sends must not stay there. */
static int check_faults_sent(void)
{
    sigset_t segv, old;
    sigemptyset(&segv);
    sigaddset(&segv, SIGSEGV);
    sigprocmask(SIG_BLOCK, &segv, &old);
    for (int i = 0; i < 10; i++) {
        kill(getpid(), SIGSEGV);
        if (sigwaitinfo(&segv, 0) != SIGSEGV)
            return 12;
    }
    sigprocmask(SIG_SETMASK, &old, 0);
    return 0;
}

static int check(int threads)
{
    if (tasks() != threads || status_threads() != threads)
        return 10;
    for (int i = 1; i <= 50; i++) {
        int before = handled;
        kill(getpid(), SIGUSR1); /* one thread may take it: it has before kill returns */
        if (handled != before + 1)
            return 11;
    }
    return check_faults_sent();
}

static int in_child(void)
{
    int status, bad = check(1);
    pid_t pid = fork();
    if (!pid) {
        at_spawn();
        bad = check(1);
        _exit(bad ? bad : 3);
    }
    waitpid(pid, &status, 0);
    return bad ? bad : WIFEXITED(status) ? WEXITSTATUS(status) : 20;
}

static void *last(void *main_thread)
{
    pthread_join(*(pthread_t *)main_thread, 0);
    if (tasks() != 2) /* the leader is a zombie until the end */
        exit(30);
    return 0;
}

int main(void)
{
    static pthread_t self, t;
    signal(SIGUSR1, handler);
    at_spawn();
    for (int i = 0; i < 5; i++) {
        int r = in_child();
        if (r != 3)
            return r;
    }
    self = pthread_self();
    if (pthread_create(&t, 0, last, &self))
        return 1;
    pthread_exit(0);
}
//> internal
//= spawned 2 ran 2 first 0x9 std 0x7 destroyed 3 ended 0x9 wrong 0 status 0

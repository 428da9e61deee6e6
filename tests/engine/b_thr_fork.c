// test[pie]: cc=-O2
// test[nopie]: cc=-no-pie
// test[static]: cc=-static
// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// fork in a program whose other threads compute and allocate: the child has one thread, working locks and can make new threads.
#include "b_check.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile int stop;

static void *churn(void *arg)
{
    unsigned n = 1;
    while (!stop) {
        char *p = malloc(n % 3000 + 1);
        p[0] = 1;
        free(p);
        n = n * 1103515245 + 12345;
    }
    return arg;
}

static void *once(void *arg)
{
    free(malloc(100));
    return (void *)((long)arg + 1);
}

static void *forker(void *arg)
{
    int status;
    for (int i = 0; i < 25; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid) {
            pthread_t t;
            void *res;
            CHECK(syscall(SYS_gettid) == getpid());
            CHECK(pthread_create(&t, 0, once, (void *)41L) == 0 && pthread_join(t, &res) == 0);
            _exit((int)(long)res);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 42);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2], f[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&t[i], 0, churn, 0) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&f[i], 0, forker, 0) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(f[i], 0) == 0);
    stop = 1;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(t[i], 0) == 0);
    say("50 forks\n");
    return 0;
}

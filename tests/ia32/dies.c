/* SPDX-License-Identifier: Apache-2.0
 * An IA-32 program with threads, one of which uses what is its own all the time, ends by a signal: by SIGABRT, and its children by others. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread volatile unsigned own;
static volatile unsigned begun;
static char asleep;

static void *work(void *p)
{
    begun = 1;
    while (!p)
        own++;
    pause();
    return p;
}

static void die(int how)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&t, NULL, work, &asleep);
    while (!begun)
        usleep(100);
    switch (how) {
    case 0: abort();
    case 1: *(volatile int *)0 = 1; break;
    case 2: kill(getpid(), SIGQUIT); break;
    case 3: raise(SIGFPE); break;
    case 4: __asm__("ud2");
    }
    pause();
}

int main(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    for (int how = 0; how < 5; how++) {
        int status;
        pid_t child = fork();
        if (!child)
            die(how);
        waitpid(child, &status, 0);
        printf("%d: %d\n", how, WIFSIGNALED(status) ? WTERMSIG(status) : -status);
    }
    fflush(stdout);
    die(0);
    return 0;
}

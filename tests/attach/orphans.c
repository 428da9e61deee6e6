// SPDX-License-Identifier: Apache-2.0
// The first thread ends, the others go on; SIGUSR1 ends the program with 6.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t first;

static void *computes(void *arg)
{
    for (volatile unsigned long n = 0;; n++)
        if (n % 1000000 == 0)
            usleep(1000);
    return arg;
}

static void *waits(void *arg)
{
    sigset_t *set = arg;
    int sig;
    pthread_join(first, NULL);
    puts("ready");
    fflush(stdout);
    sigwait(set, &sig);
    exit(6);
}

int main(void)
{
    static sigset_t set;
    pthread_t t;
    first = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, computes, NULL);
    pthread_create(&t, NULL, waits, &set);
    pthread_exit(NULL);
}

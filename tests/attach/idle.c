// SPDX-License-Identifier: Apache-2.0
// Three threads in the kernel until SIGUSR1 comes. Then each computes a little, and the program ends with 5.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int go[2];
static long sum;

static void *body(void *arg)
{
    char c;
    if (read(go[0], &c, 1) != 0) // its end
        exit(1);
    for (long i = 0; i < 100000; i++)
        __atomic_add_fetch(&sum, i, __ATOMIC_RELAXED);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pipe(go) || pthread_create(&t[0], NULL, body, NULL) || pthread_create(&t[1], NULL, body, NULL))
        return 1;
    puts("ready");
    fflush(stdout);
    sigwait(&set, &sig);
    close(go[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return sum == 2 * (99999l * 50000) ? 5 : 1;
}

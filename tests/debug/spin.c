/* SPDX-License-Identifier: Apache-2.0
 * A guest for a debugger: one thread spins, one waits for a lock, one sleeps again and again; SIGUSR1 ends it. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile int stop;
static sem_t never;

static void on_signal(int sig)
{
    (void)sig;
    stop = 1;
    sem_post(&never);
}

static void *spin(void *arg)
{
    while (!stop)
        ;
    return arg;
}

static void *wait_for_it(void *arg)
{
    while (sem_wait(&never))
        ;
    return arg;
}

static void *sleep_often(void *arg)
{
    struct timespec ms = {0, 1000000};
    while (!stop)
        nanosleep(&ms, NULL);
    return arg;
}

int main(void)
{
    void *(*const f[])(void *) = {spin, wait_for_it, sleep_often};
    pthread_t thread[3];
    sem_init(&never, 0, 0);
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, f[i], NULL);
    puts("ready");
    fflush(stdout);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    puts("done");
    return 0;
}

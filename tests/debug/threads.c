/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: threads that meet at barriers, so that what they do is always the same. */
#include <pthread.h>
#include <stdio.h>

#define THREADS 4

static pthread_barrier_t all, third; /* thread 3 begins when thread 2 is done, however the system schedules them */
volatile int count[THREADS];
__thread int own;

static void meet(long n)
{
    own = (int)n + 100;
    count[n]++;
}

static void *work(void *arg)
{
    long n = (long)arg;
    pthread_barrier_wait(&all);
    if (n == 3)
        pthread_barrier_wait(&third);
    for (int i = 0; i < 100; i++)
        meet(n);
    if (n == 2)
        pthread_barrier_wait(&third);
    pthread_barrier_wait(&all);
    return NULL;
}

static void together(void)
{
    pthread_barrier_wait(&all);
}

int main(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&all, NULL, THREADS + 1);
    pthread_barrier_init(&third, NULL, 2);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    together();
    together();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("%d %d\n", count[0], count[THREADS - 1]);
    return 0;
}

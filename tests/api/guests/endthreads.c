// SPDX-License-Identifier: Apache-2.0
// The process ends while its threads are at work: in a loop, in a loop with calls, waiting in the kernel, waiting for a lock, making system calls, making threads.
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t all;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static volatile long turns[8];

__attribute__((noinline)) long at_leaf(long n) { return n + 1; }

static void *nothing(void *arg) { return arg; }

static void *body(void *arg)
{
    long self = (long)arg;
    struct timespec forever = {1000, 0};
    pthread_t t;
    pthread_barrier_wait(&all);
    switch (self) {
    case 0:
        for (;;)
            turns[0]++;
    case 1:
        for (;;)
            turns[1] = at_leaf(turns[1]);
    case 2:
        nanosleep(&forever, NULL);
        break;
    case 3:
        pthread_mutex_lock(&held);
        break;
    case 4:
        for (;;)
            syscall(SYS_getppid);
    case 5:
        for (;;)
            if (pthread_create(&t, NULL, nothing, NULL) == 0)
                pthread_join(t, NULL);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&all, NULL, 7);
    pthread_mutex_lock(&held);
    for (long i = 0; i < 6; i++)
        pthread_create(&t, NULL, body, (void *)i);
    pthread_barrier_wait(&all);
    while (turns[0] < 10 || turns[1] < 10)
        ;
    return 5;
}
//> endthreads status=5
//= every thread ended once, none at work afterwards, data gone 1, fini 5
//> endthreads watch=yes status=5
//= every thread ended once, none at work afterwards, data gone 1, fini 5

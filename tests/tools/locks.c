/* SPDX-License-Identifier: Apache-2.0
 * Mutexes with known numbers, for lockprof: the address of each, how often it is locked, and two times between which the wait of the second thread for `held` must lie, and the hold of the first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER, waited = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;
static volatile int waiter_tid;
static long waited_outside;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *count(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&busy);
        ++*(int *)arg;
        pthread_mutex_unlock(&busy);
    }
    return 0;
}

static void *wait_for_held(void *arg)
{
    waiter_tid = gettid();
    long before = now();
    pthread_mutex_lock(&held);
    waited_outside = now() - before;
    pthread_mutex_unlock(&held);
    return arg;
}

/* The thread sleeps in the kernel, for the word of the mutex. */
static void until_asleep(void)
{
    char path[64], text[256] = "";
    unsigned long number = 0, word = 0;
    while (!waiter_tid)
        usleep(1000);
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", waiter_tid);
    while (number != SYS_futex || word != (unsigned long)&held) {
        FILE *f = fopen(path, "r");
        if (!f || !fgets(text, sizeof text, f)) {
            perror(path);
            exit(1);
        }
        fclose(f);
        number = word = 0;
        sscanf(text, "%lu 0x%lx", &number, &word); /* "running" otherwise */
    }
}

static void *signal_ready(void *arg)
{
    pthread_mutex_lock(&waited);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&waited);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    int sum = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, count, &sum);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);

    long before_lock = now();
    pthread_mutex_lock(&held);
    long after_lock = now();
    pthread_create(&t[0], 0, wait_for_held, 0);
    until_asleep();
    long asleep = now();
    usleep(20000);
    long before_unlock = now();
    pthread_mutex_unlock(&held);
    long after_unlock = now();
    pthread_join(t[0], 0);

    pthread_mutex_lock(&waited);
    pthread_create(&t[0], 0, signal_ready, 0);
    while (!is_ready)
        pthread_cond_wait(&ready, &waited);
    pthread_mutex_unlock(&waited);
    pthread_join(t[0], 0);

    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attr);
    for (int i = 0; i < 4; i++)
        pthread_mutex_lock(&recursive);
    for (int i = 0; i < 4; i++)
        pthread_mutex_unlock(&recursive);
    pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 3; i++)
        pthread_mutex_trylock(&taken);
    pthread_mutex_unlock(&taken);

    printf("busy %p %d\nheld %p wait %ld %ld hold %ld %ld\nwaited %p\nrecursive %p\ntaken %p\n", (void *)&busy, sum, (void *)&held, before_unlock - asleep, waited_outside, before_unlock - after_lock,
        after_unlock - before_lock, (void *)&waited, (void *)&recursive, (void *)&taken);
    return 0;
}

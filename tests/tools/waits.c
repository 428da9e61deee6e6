/* SPDX-License-Identifier: Apache-2.0
 * Locks with known numbers for lockwait: a rwlock and conditions; mutexes are in locks.c. Prints the locks' addresses. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t ready;
static atomic_int waiter;

/* The main thread holds it when this begins, and for 30 ms after this has gone to sleep. */
static void *reader(void *arg)
{
    pthread_barrier_wait(&ready);
    waiter = gettid();
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_unlock(&shared);
    return arg;
}

static void until_it_sleeps(void)
{
    char name[64], state = 0;
    while (!waiter)
        sched_yield();
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", waiter);
    while (state != 'S') {
        FILE *f = fopen(name, "r");
        if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
            state = 0;
        if (f)
            fclose(f);
    }
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&t, NULL, reader, NULL);
    pthread_rwlock_wrlock(&shared);
    pthread_barrier_wait(&ready);
    until_it_sleeps();
    usleep(30000);
    pthread_rwlock_unlock(&shared);
    pthread_join(t, NULL);

    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_rdlock(&shared);
    int busy = pthread_rwlock_trywrlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_rwlock_wrlock(&shared);
    pthread_rwlock_unlock(&shared);

    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (end.tv_nsec + 20000000) / 1000000000;
    end.tv_nsec = (end.tv_nsec + 20000000) % 1000000000;
    pthread_mutex_lock(&mutex);
    int late = pthread_cond_timedwait(&never, &mutex, &end);
    pthread_mutex_unlock(&mutex);
    printf("shared %p\nmutex %p\nnever %p\n", (void *)&shared, (void *)&mutex, (void *)&never);
    return busy != EBUSY || late != ETIMEDOUT;
}

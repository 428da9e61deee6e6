/* SPDX-License-Identifier: Apache-2.0
 * Programs with and without data races, for the tool race: racy NAME. What each is, in the list below, is what Valgrind's DRD says of it, too. All run in an order that does not depend on time, unless the name of the
 * variable says so: threads that race are begun one after the other, and only joined at the end. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int shared, ready;
static char bytes[8];
static int *heap;
static atomic_int flag;

static void *plain(void *arg) { shared++; return arg; }
static void *with_mutex(void *arg)
{
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void *with_other(void *arg)
{
    pthread_mutex_lock(&other);
    shared++;
    pthread_mutex_unlock(&other);
    return arg;
}
static void *read_only(void *arg) { return arg ? arg + (shared > 100) : 0; }
static void *own_byte(void *arg)
{
    bytes[arg ? 1 : 0]++;
    return arg;
}
static void *same_byte(void *arg)
{
    bytes[3]++;
    return arg;
}
static void *posts(void *arg)
{
    shared = 1;
    sem_post(&sem);
    return arg;
}
static void *waits(void *arg)
{
    sem_wait(&sem);
    shared++;
    return arg;
}
static void *announces(void *arg)
{
    shared = 1;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void *listens(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    shared++;
    return arg;
}
static void *reads_locked(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    int n = shared;
    pthread_rwlock_unlock(&rwlock);
    return arg ? arg + (n > 100) : 0;
}
static void *writes_locked(void *arg)
{
    pthread_rwlock_wrlock(&rwlock);
    shared++;
    pthread_rwlock_unlock(&rwlock);
    return arg;
}
static void *writes_as_reader(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    shared++;
    pthread_rwlock_unlock(&rwlock);
    return arg;
}
static void *at_barrier(void *arg)
{
    if (arg)
        shared = 1;
    pthread_barrier_wait(&barrier);
    if (!arg)
        shared++;
    return arg;
}
static void *publishes(void *arg)
{
    shared = 1;
    atomic_fetch_add(&flag, 1);
    return arg;
}
static void *polls(void *arg)
{
    while (!atomic_load(&flag))
        ;
    shared++;
    return arg;
}
static void *uses_heap(void *arg)
{
    heap = malloc(64);
    heap[3] = 1;
    free(heap);
    return arg;
}

/* Both are there until the other has begun, so that neither is joined before. */
static void two(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t t[2];
    pthread_create(&t[0], 0, a, 0);
    pthread_create(&t[1], 0, b, &shared);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
}
static void one_after_the_other(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t t;
    pthread_create(&t, 0, a, 0);
    pthread_join(t, 0);
    pthread_create(&t, 0, b, &shared);
    pthread_join(t, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*how)(void *(*)(void *), void *(*)(void *));
        void *(*a)(void *), *(*b)(void *);
    } list[] = {{"race-plain", two, plain, plain}, {"race-half-locked", two, with_mutex, plain}, {"race-two-locks", two, with_mutex, with_other}, {"race-read", two, plain, read_only}, {"race-byte", two, same_byte, same_byte},
        {"race-reader-writes", two, writes_as_reader, writes_as_reader}, {"fine-locked", two, with_mutex, with_mutex}, {"fine-joined", one_after_the_other, plain, plain}, {"fine-readers", two, read_only, read_only},
        {"fine-bytes", two, own_byte, own_byte}, {"fine-semaphore", two, posts, waits}, {"fine-condition", two, announces, listens}, {"fine-rwlock", two, reads_locked, writes_locked},
        {"fine-barrier", two, at_barrier, at_barrier}, {"fine-atomic", two, publishes, polls}, {"fine-heap", one_after_the_other, uses_heap, uses_heap}};
    pthread_barrier_init(&barrier, 0, 2);
    sem_init(&sem, 0, 0);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (argc > 1 && !strcmp(argv[1], list[i].name)) {
            list[i].how(list[i].a, list[i].b);
            printf("%p\n", !strcmp(argv[1], "race-byte") ? (void *)&bytes[3] : (void *)&shared);
            return 0;
        }
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        printf("%s\n", list[i].name);
    return 1;
}

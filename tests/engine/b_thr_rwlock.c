// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Read-write locks, spin locks, semaphores and barriers: invariants hold with 4 threads on 2000 rounds.
#include "b_check.h"
#include <pthread.h>
#include <semaphore.h>

enum { T = 4, ROUNDS = 500 };
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t bar;
static sem_t two;
static long a, b, c, inside, serial;

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&rw);
        CHECK(a == -b);
        pthread_rwlock_unlock(&rw);
        pthread_rwlock_wrlock(&rw);
        a++;
        b--;
        pthread_rwlock_unlock(&rw);
        CHECK(pthread_spin_lock(&spin) == 0);
        c++;
        pthread_spin_unlock(&spin);
        while (sem_wait(&two))
            CHECK(errno == EINTR);
        CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) <= 2);
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        sem_post(&two);
        if (i % 10 == 0 && pthread_barrier_wait(&bar) == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
    }
    return arg;
}

int main(void)
{
    pthread_t t[T];
    CHECK(pthread_spin_init(&spin, 0) == 0 && sem_init(&two, 0, 2) == 0 && pthread_barrier_init(&bar, 0, T) == 0);
    for (int i = 0; i < T; i++)
        CHECK(pthread_create(&t[i], 0, work, 0) == 0);
    for (int i = 0; i < T; i++)
        CHECK(pthread_join(t[i], 0) == 0);
    say("a %ld b %ld c %ld serial %ld\n", a, b, c, serial);
    return 0;
}

// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// A bounded queue with condition variables: 3 producers, 3 consumers, every item once; timed waits time out.
#include "b_check.h"
#include <pthread.h>
#include <time.h>

enum { N = 2000, ROOM = 4 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int ring[ROOM], used, head, seen[3 * N];

static void *produce(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        while (used == ROOM)
            pthread_cond_wait(&not_full, &m);
        ring[(head + used++) % ROOM] = (int)(long)arg * N + i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *consume(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        while (!used)
            pthread_cond_wait(&not_empty, &m);
        seen[ring[head]]++;
        head = (head + 1) % ROOM;
        used--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[6];
    struct timespec soon;
    for (long i = 0; i < 6; i++)
        CHECK(pthread_create(&t[i], 0, i < 3 ? produce : consume, (void *)i) == 0);
    for (int i = 0; i < 6; i++)
        CHECK(pthread_join(t[i], 0) == 0);
    for (int i = 0; i < 3 * N; i++)
        CHECK(seen[i] == 1);
    pthread_mutex_lock(&m);
    clock_gettime(CLOCK_REALTIME, &soon);
    CHECK(pthread_cond_timedwait(&not_empty, &m, &soon) == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    say("queue ok\n");
    return 0;
}

// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// 1000 threads one after another, each with its result joined; then 200 detached ones that report by a semaphore.
#include "b_check.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static __thread long mine = 5;

static void *square(void *arg)
{
    mine += (long)arg;
    return (void *)((mine - 5) * (mine - 5));
}

static void *post(void *arg)
{
    sem_post(&done);
    return arg;
}

int main(void)
{
    unsigned long sum = 0;
    for (long i = 0; i < 1000; i++) {
        pthread_t t;
        void *res;
        CHECK(pthread_create(&t, 0, square, (void *)i) == 0 && pthread_join(t, &res) == 0);
        CHECK((long)res == i * i);
        sum += (long)res;
    }
    CHECK(mine == 5);
    say("sum %lu\n", sum);
    pthread_attr_t at;
    CHECK(sem_init(&done, 0, 0) == 0 && pthread_attr_init(&at) == 0 && pthread_attr_setdetachstate(&at, PTHREAD_CREATE_DETACHED) == 0);
    for (int i = 0; i < 200; i++) {
        pthread_t t;
        CHECK(pthread_create(&t, &at, post, 0) == 0);
    }
    for (int i = 0; i < 200; i++)
        while (sem_wait(&done))
            CHECK(errno == EINTR);
    say("detached ok\n");
    return 0;
}

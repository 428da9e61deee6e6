// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Cancellation: deferred in a blocking read, at pthread_testcancel, asynchronous in a loop, disabled; cleanup handlers run in order.
#include "b_check.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t ready, go;
static int p[2];

static void cleanup(void *arg)
{
    say("cleanup %s\n", (char *)arg);
}

static void *in_read(void *arg)
{
    char c;
    pthread_cleanup_push(cleanup, "outer");
    pthread_cleanup_push(cleanup, "inner");
    sem_post(&ready);
    if (read(p[0], &c, 1) != 12345)
        say("FAIL read came back\n");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return arg;
}

static void *in_loop(void *arg)
{
    volatile unsigned n = 0;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    sem_post(&ready);
    for (;;)
        n++;
    return arg;
}

static void *disabled(void *arg)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_post(&ready);
    while (sem_wait(&go))
        ;
    pthread_testcancel();
    say("still here\n");
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    pthread_testcancel();
    say("FAIL not cancelled\n");
    return arg;
}

int main(void)
{
    void *(*bodies[])(void *) = { in_read, in_loop, disabled };
    CHECK(pipe(p) == 0 && sem_init(&ready, 0, 0) == 0 && sem_init(&go, 0, 0) == 0);
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < 3; i++) {
            pthread_t t;
            void *res = 0;
            if (round && i != 1)
                continue;
            CHECK(pthread_create(&t, 0, bodies[i], 0) == 0 && sem_wait(&ready) == 0);
            CHECK(pthread_cancel(t) == 0);
            if (bodies[i] == disabled)
                sem_post(&go);
            CHECK(pthread_join(t, &res) == 0 && res == PTHREAD_CANCELED);
        }
    say("cancelled\n");
    return 0;
}

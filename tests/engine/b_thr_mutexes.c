// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// PI, recursive, error-checking, adaptive and ceiling-free mutexes under contention keep an exact count.
#include "b_check.h"
#include <pthread.h>

static pthread_mutex_t m;
static long count;

static void *add(void *arg)
{
    for (int i = 0; i < 3000; i++) {
        CHECK(pthread_mutex_lock(&m) == 0);
        count++;
        CHECK(pthread_mutex_unlock(&m) == 0);
    }
    return arg;
}

static void run(const char *name, int type, int protocol)
{
    pthread_mutexattr_t at;
    pthread_t t[4];
    count = 0;
    pthread_mutexattr_init(&at);
    CHECK(pthread_mutexattr_settype(&at, type) == 0 && pthread_mutexattr_setprotocol(&at, protocol) == 0);
    CHECK(pthread_mutex_init(&m, &at) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&t[i], 0, add, 0) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(t[i], 0) == 0);
    CHECK(pthread_mutex_lock(&m) == 0);
    int again = pthread_mutex_trylock(&m);
    say("%s %ld trylock %d\n", name, count, again);
    if (!again)
        pthread_mutex_unlock(&m);
    if (type == PTHREAD_MUTEX_ERRORCHECK)
        CHECK(pthread_mutex_lock(&m) == EDEADLK);
    CHECK(pthread_mutex_unlock(&m) == 0 && pthread_mutex_destroy(&m) == 0);
}

int main(void)
{
    run("normal", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
    run("inherit", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
    run("recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
    run("recursive inherit", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT);
    run("errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
    run("adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE);
    return 0;
}

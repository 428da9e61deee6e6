// test[pie]: cc=-O2
// test[nopie]: cc=-no-pie
// test[static]: cc=-static
// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Thread-local storage: initialised data, zeroed data, alignment, pthread keys with destructors that run several rounds.
#include "b_check.h"
#include <pthread.h>
#include <stdalign.h>

static __thread int initialised = 42;
static __thread char zeroed[1000];
static __thread alignas(64) double aligned[8] = { 1.5 };
static pthread_key_t key, chained;
static int destroyed, rounds;

static void destroy(void *p)
{
    __atomic_add_fetch(&destroyed, (int)(long)p, __ATOMIC_SEQ_CST);
}

static void destroy_again(void *p)
{
    __atomic_add_fetch(&rounds, 1, __ATOMIC_SEQ_CST);
    if ((long)p > 1)
        pthread_setspecific(chained, (void *)((long)p - 1));
}

static void *body(void *arg)
{
    CHECK(initialised == 42 && aligned[0] == 1.5 && (uintptr_t)aligned % 64 == 0);
    for (int i = 0; i < 1000; i++)
        CHECK(zeroed[i] == 0);
    memset(zeroed, 1, sizeof zeroed);
    initialised = (int)(long)arg;
    CHECK(pthread_getspecific(key) == 0);
    CHECK(pthread_setspecific(key, arg) == 0 && pthread_setspecific(chained, (void *)3L) == 0);
    errno = initialised;
    CHECK(pthread_getspecific(key) == arg && errno == initialised);
    return 0;
}

int main(void)
{
    CHECK(pthread_key_create(&key, destroy) == 0 && pthread_key_create(&chained, destroy_again) == 0);
    initialised = 7;
    errno = 123;
    for (long i = 1; i <= 50; i++) {
        pthread_t t;
        CHECK(pthread_create(&t, 0, body, (void *)i) == 0 && pthread_join(t, 0) == 0);
    }
    CHECK(initialised == 7 && errno == 123);
    say("destroyed %d rounds %d\n", destroyed, rounds);
    return 0;
}

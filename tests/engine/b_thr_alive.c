// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// 300 threads alive at once, with distinct tids, one pid, own TLS and small stacks; a barrier holds them all.
#include "b_check.h"
#include <pthread.h>
#include <sys/syscall.h>

enum { N = 300 };
static pthread_barrier_t all;
static int tids[N];
static __thread int id;

static void *body(void *arg)
{
    id = (int)(long)arg;
    tids[id] = syscall(SYS_gettid);
    CHECK(getpid() != tids[id]);
    pthread_barrier_wait(&all);
    pthread_barrier_wait(&all);
    return (void *)(long)(id * 3);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    static pthread_t t[N];
    pthread_attr_t at;
    pthread_attr_init(&at);
    CHECK(pthread_attr_setstacksize(&at, 65536) == 0);
    pthread_barrier_init(&all, 0, N + 1);
    for (long i = 0; i < N; i++)
        CHECK(pthread_create(&t[i], &at, body, (void *)i) == 0);
    pthread_barrier_wait(&all);
    qsort(tids, N, sizeof *tids, by_value);
    for (int i = 1; i < N; i++)
        CHECK(tids[i] > tids[i - 1]);
    pthread_barrier_wait(&all);
    long sum = 0;
    for (int i = 0; i < N; i++) {
        void *r;
        CHECK(pthread_join(t[i], &r) == 0);
        sum += (long)r;
    }
    say("sum %ld\n", sum);
    return 0;
}

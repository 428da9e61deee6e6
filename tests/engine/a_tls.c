// Thread-local storage of the program in its models, for the main thread and for others.
// test[ie]: cc=-fPIC -ftls-model=initial-exec
// test[le]: cc=-ftls-model=local-exec
// test[gd]: cc=-fPIC -ftls-model=global-dynamic
// test[desc]: cc=-fPIC -mtls-dialect=gnu2
// test[static]: cc=-static
// test[musl]: compiler=musl-gcc
#include "a_guest.h"
#include <pthread.h>

__thread int set = 5;
__thread long zero;
__thread char big[5000];
__thread int aligned __attribute__((aligned(64))) = 9;

static void *body(void *arg)
{
    long me = (long)arg;
    CHECK(set == 5 && zero == 0 && aligned == 9 && (uintptr_t)&aligned % 64 == 0);
    set += me;
    zero = me;
    memset(big, (int)me, sizeof big);
    return (void *)(set + zero * 100 + big[4999] * 10000l);
}

int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        CHECK(pthread_create(&t[i], NULL, body, (void *)(i + 1)) == 0);
    for (int i = 0; i < 4; i++) {
        void *r;
        CHECK(pthread_join(t[i], &r) == 0);
        printf("%ld\n", (long)r);
    }
    printf("%ld\n", (long)body((void *)50));
    return 0;
}

// Thread-local storage of a library opened at run time (dynamic model, allocated lazily per thread).
// test: so=lib -DPART
// test: so=big -DPART -DBIG=40000
#include "a_guest.h"
#ifdef PART
#ifndef BIG
#define BIG 100
#endif
static __thread int counter = 100;
static __thread char block[BIG];
int bump(int by)
{
    block[BIG - 1] += by;
    counter += by;
    return counter + block[BIG - 1];
}
#else
#include <dlfcn.h>
#include <pthread.h>
static int (*bump[2])(int);

static void *body(void *arg)
{
    int n = (int)(long)arg, sum = 0;
    for (int i = 0; i < 5; i++)
        sum += bump[0](n) + bump[1](n);
    return (void *)(long)sum;
}

int main(void)
{
    const char *names[] = {"a_tls_dlopen.lib.so", "a_tls_dlopen.big.so"};
    pthread_t t[3];
    void *r, *lib[2];
    for (int i = 0; i < 2; i++) {
        lib[i] = dlopen(names[i], RTLD_NOW);
        CHECK(lib[i]);
        bump[i] = (int (*)(int))dlsym(lib[i], "bump");
        CHECK(bump[i]);
    }
    for (long i = 0; i < 3; i++)
        CHECK(pthread_create(&t[i], NULL, body, (void *)i) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(t[i], &r) == 0);
        printf("%ld\n", (long)r);
    }
    printf("%ld\n", (long)body((void *)3));
    CHECK(dlclose(lib[0]) == 0 && dlclose(lib[1]) == 0);
    return 0;
}
#endif

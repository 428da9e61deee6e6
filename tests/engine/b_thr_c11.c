// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// C11 threads: thrd_create, mtx, cnd, tss, call_once; names, stack sizes and addresses of threads.
#include "b_check.h"
#include <pthread.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int inits, count;
static mtx_t m;
static tss_t key;

static void init(void)
{
    inits++;
}

static int body(void *arg)
{
    call_once(&once, init);
    for (int i = 0; i < 1000; i++) {
        mtx_lock(&m);
        count++;
        mtx_unlock(&m);
    }
    CHECK(tss_set(key, arg) == thrd_success && tss_get(key) == arg);
    return *(int *)arg + 1;
}

static void *named(void *arg)
{
    char name[16], *here = name;
    pthread_attr_t at;
    void *base;
    size_t size;
    CHECK(pthread_setname_np(pthread_self(), "guest thread") == 0 && pthread_getname_np(pthread_self(), name, 16) == 0);
    CHECK(pthread_getattr_np(pthread_self(), &at) == 0 && pthread_attr_getstack(&at, &base, &size) == 0);
    CHECK(here > (char *)base && here < (char *)base + size);
    say("%s has %zu bytes of stack\n", name, size);
    return arg;
}

int main(void)
{
    thrd_t t[4];
    int id[4], res;
    CHECK(mtx_init(&m, mtx_plain) == thrd_success && tss_create(&key, 0) == thrd_success);
    for (int i = 0; i < 4; i++) {
        id[i] = i;
        CHECK(thrd_create(&t[i], body, &id[i]) == thrd_success);
    }
    for (int i = 0; i < 4; i++)
        CHECK(thrd_join(t[i], &res) == thrd_success && res == i + 1);
    say("count %d inits %d\n", count, inits);
    pthread_t p;
    pthread_attr_t at;
    pthread_attr_init(&at);
    CHECK(pthread_attr_setstacksize(&at, 1 << 20) == 0 && pthread_create(&p, &at, named, 0) == 0 && pthread_join(p, 0) == 0);
    char name[16];
    CHECK(pthread_getname_np(pthread_self(), name, 16) == 0);
    say("main is %s\n", name);
    return 0;
}

// test: cc=-pthread
// test: timeout=120
// test: modes=plain,inproc
// test[asan]: cc=-fsanitize=address
// test[lsan]: cc=-fsanitize=leak
// test[tsan]: cc=-fsanitize=thread
// test[ubsan]: cc=-fsanitize=undefined
// test[clang_asan]: compiler=clang
// test[clang_asan]: cc=-fsanitize=address
// test[clang_dfsan]: compiler=clang
// test[clang_dfsan]: cc=-fsanitize=dataflow
// test[clang_hwasan]: compiler=clang
// test[clang_hwasan]: cc=-fsanitize=hwaddress -fsanitize-hwaddress-experimental-aliasing
// test[clang_lsan]: compiler=clang
// test[clang_lsan]: cc=-fsanitize=leak
// test[clang_msan]: compiler=clang
// test[clang_msan]: cc=-fsanitize=memory
// test[clang_tsan]: compiler=clang
// test[clang_tsan]: cc=-fsanitize=thread
// SPDX-License-Identifier: Apache-2.0
// A program with threads under each sanitizer that the compilers have: their shadows and heaps are at addresses that they choose.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, TIMES = 200 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *add(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        int *p = malloc(100);
        *p = i;
        pthread_mutex_lock(&lock);
        sum += *p;
        pthread_mutex_unlock(&lock);
        free(p);
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], 0, add, 0))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    printf("sum %ld\n", sum);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Threads that are all there before each of them calls outer_routine once. */
#include <pthread.h>
#include <unistd.h>

#define THREADS 8

static int up, go;

__attribute__((noinline)) int outer_routine(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static void *work(void *arg)
{
    __atomic_add_fetch(&up, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST))
        usleep(100);
    return outer_routine(1) ? arg : NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, work, t))
            return 1;
    while (__atomic_load_n(&up, __ATOMIC_SEQ_CST) < THREADS)
        usleep(1000);
    __atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 3;
}

/* SPDX-License-Identifier: Apache-2.0
 * Calls whose numbers are known, from several threads. tests/tools/run.py has the numbers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 20000

__attribute__((noinline)) int leaf_routine(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

__attribute__((noinline)) int outer_routine(int x) { return leaf_routine(x) + leaf_routine(x + 1); }

static void *work(void *arg)
{
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum += outer_routine(i);
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, work, t))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 3;
}

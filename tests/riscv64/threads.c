/* SPDX-License-Identifier: Apache-2.0
 * Threads that share a counter under a mutex and have variables of their own. */
#include <pthread.h>
#include <stdio.h>

static long shared;
static __thread long own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *arg)
{
    for (long i = 0; i < 1000; i++) {
        own += i;
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return own == 499500 ? NULL : arg;
}

int main(void)
{
    pthread_t t[3];
    void *wrong = NULL;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, &shared);
    for (int i = 0; i < 3 && !wrong; i++)
        pthread_join(t[i], &wrong);
    printf("%ld %d\n", shared, wrong != NULL);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Three threads at once besides the first, which all have ended when the program does.
#include <pthread.h>

static pthread_barrier_t all;

static void *body(void *arg)
{
    pthread_barrier_wait(&all);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&all, 0, 3);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], 0, body, 0))
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
//> threads
//= started 0xf ended 0xf seen 0xf wrong 0 status 0

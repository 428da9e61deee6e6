/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: what the process is made of, and variables that each thread has for itself. */
#include <pthread.h>
#include <stdio.h>

__thread int mine = 5;
static __thread long row[3] = {1, 2, 3};
static pthread_barrier_t together;

static void here(int step)
{
    printf("step %d: %d %ld\n", step, mine, row[1]);
}

static void *other(void *to)
{
    mine = 77;
    row[1] = *(long *)to;
    pthread_barrier_wait(&together);
    here(1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    long nine = 9;
    mine = 6;
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&t, NULL, other, &nine);
    pthread_barrier_wait(&together);
    pthread_join(t, NULL);
    here(2);
    return 0;
}

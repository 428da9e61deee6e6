/* SPDX-License-Identifier: Apache-2.0
 * Two threads that write in turns: bytes of one line that are not the same ("false"), the same ("true"), or in lines of their own ("apart"). */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct {
    _Alignas(64) volatile char at[128];
} data;
static _Alignas(64) atomic_int turn[2][16]; /* a line for each */
static int place[2];

static void *worker(void *arg)
{
    int me = arg != NULL;
    for (int i = 0; i < 100; i++) {
        while (atomic_load(&turn[me][0]) == 0)
            ;
        atomic_store(&turn[me][0], 0);
        data.at[place[me]]++;
        atomic_store(&turn[!me][0], 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    const char *how = argc > 1 ? argv[1] : "";
    place[1] = !strcmp(how, "false") ? 8 : !strcmp(how, "apart") ? 64 : 0;
    atomic_store(&turn[0][0], 1);
    pthread_create(&thread, NULL, worker, &data);
    worker(NULL);
    pthread_join(thread, NULL);
    return 0;
}

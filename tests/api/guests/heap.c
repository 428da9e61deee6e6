// SPDX-License-Identifier: Apache-2.0
// A known number of allocations, in two threads. One malloc cannot be served.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mark(void) { __asm__ volatile(""); }

static pthread_barrier_t barrier;

static void *work(void *v)
{
    pthread_barrier_wait(&barrier); /* what the libraries allocate for threads is done */
    for (size_t i = 1; i <= 1000; i++) {
        char *p = malloc(i), *q = calloc(i, 3);
        memset(p, 1, i);
        for (size_t k = 0; k < i * 3; k++)
            if (q[k])
                _exit(3);
        p = realloc(p, 2 * i);
        if (p[0] != 1 || p[i - 1] != 1)
            _exit(4);
        free(q);
        free(p);
    }
    pthread_barrier_wait(&barrier);
    while (v) /* libc would free what it keeps for the thread */
        pause();
    return v;
}

int main(void)
{
    pthread_t t;
    void *volatile none;
    pthread_barrier_init(&barrier, NULL, 2);
    if (pthread_create(&t, NULL, work, &barrier))
        return 1;
    free(malloc(1)); /* the tool has the symbols of the library by now */
    mark();
    work(NULL);
    none = malloc(PTRDIFF_MAX);
    _exit(none != NULL);
}
// 2 threads: 1000 of each and 2000 frees; bytes: (1 + 3 + 2) * 1000 * 1001 / 2, twice. The malloc that fails asks for 2^63 - 1 bytes.
//> heap mode=trace
//= malloc 2001 calloc 2000 realloc 2000 free 4000 bytes 9223372036860781807 results 6000
//> heap mode=replace
//= malloc 2001 calloc 2000 realloc 2000 free 4000 bytes 9223372036860781807 results 6000
